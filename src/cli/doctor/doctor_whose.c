#include "cli/doctor/doctor.h"
#include "engine/ledger/database.h"
#include "engine/outbox/owner.h"
#include "kafka/inspect.h"

#define TIMEOUT_MS 10000

static const char *const *
settings_of (const Doctor *doctor)
{
  return (const char *const *)doctor->kafka;
}

/* FALSE: nothing can be compared with it. */
static gboolean
check_database (Doctor *doctor, Origin *origin)
{
  g_autoptr (GError) error = NULL;
  if (!database_look (doctor->pg, origin, &error))
    doctor_error (doctor, CODE_POSTGRES, "identity", doctor->grants, "could not be read: %s",
                  error->message);
  else if (!database_check (origin, &error))
    doctor_error (doctor, CODE_CONFIG, "identity",
                  origin->moved ? "pruned migrate --identity new" : "pruned migrate", "%s",
                  error->message);
  else
    return TRUE;
  return FALSE;
}

/* Without a record of its own the topic forgets the owner some time after the last daemon ended. */
static void
check_kept (Doctor *doctor, const char *topic, const char *words)
{
  gint64 retention_ms = -1;
  g_autoptr (GPtrArray) topics = g_ptr_array_new ();
  g_ptr_array_add (topics, (gpointer)topic);
  if (kafka_longest_retention (settings_of (doctor), topics, TIMEOUT_MS, &retention_ms, NULL)
      && retention_ms >= 0)
    doctor_warn (
        doctor, "owner", "pruned topics --apply",
        "the topics are this database's, %s, but topic %s is not compacted: a while after the last daemon has ended"
        " it does not say so any more",
        words, topic);
  else
    doctor_ok (doctor, "owner", "the topics are this database's: %s", words);
}

static void
check_owner (Doctor *doctor, const Origin *origin, const KafkaTopic *clock)
{
  g_autoptr (GError) error = NULL;
  g_auto (Origin) owner = { NULL };
  g_autofree char *words = origin_words (origin);
  const char *prefix = config_text (doctor->cli->config, "topics", "prefix");
  if (clock->partitions < 0)
    doctor_warn (doctor, "owner", "pruned topics --apply",
                 "there is no topic %s: nothing says whose topics these are", clock->name);
  else if (!owner_read (settings_of (doctor), clock->name, OWNER_MS, &owner, &error))
    doctor_error (doctor, CODE_KAFKA, "owner", "pruned topics", "%s", error->message);
  else if (owner.database == NULL)
    doctor_warn (
        doctor, "owner", "pruned topics --apply",
        "topic %s does not say whose topics these are: the first daemon that starts makes them its database's",
        clock->name);
  else if (!owner_check (&owner, origin, prefix, &error))
    doctor_error (
        doctor, CODE_CONFIG, "owner",
        owner_left_behind (&owner, origin) ? NULL : "pruned -s topics.prefix=NAME topics --apply",
        "%s", error->message);
  else
    check_kept (doctor, clock->name, words);
}

void
doctor_whose (Doctor *doctor, const KafkaTopic *clock)
{
  g_auto (Origin) origin = { NULL };
  if (doctor->pg != NULL && doctor->migrated && check_database (doctor, &origin))
    check_owner (doctor, &origin, clock);
}
