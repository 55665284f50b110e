/* What an old backup brings back, and the ledger of erasures that takes it away again. */
#include "base/plural.h"
#include "cli/doctor/doctor.h"
#include "engine/outbox/remember.h"
#include "engine/outbox/topics.h"
#include "kafka/inspect.h"

#define CHECK "erasures"
#define TIMEOUT_MS 10000
#define DAY_MS (G_TIME_SPAN_DAY / G_TIME_SPAN_MILLISECOND)

static const char *const *
settings_of (const Doctor *doctor)
{
  return (const char *const *)doctor->kafka;
}

/* --- the key --- */

static void
check_key (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) keys = remember_keys (doctor->cli->config, &error);
  const SealKey *key = keys != NULL ? keys->pdata[0] : NULL;
  if (key != NULL && doctor->migrated && !remember_key_is_known (doctor->pg, key, &error)
      && error->code != PRUNED_FATAL) {
    doctor_unasked_but_missing (doctor, CHECK, error);
    return;
  }
  if (error != NULL)
    doctor_error (doctor, CODE_CONFIG, CHECK, NULL, "%s", error->message);
  else
    doctor_ok (doctor, CHECK, "the ledger is sealed with the key %s", seal_key_id (key));
}

static void
check_folder (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  if (!remember_folder_usable (doctor->cli->config, &error))
    doctor_error (doctor, CODE_CONFIG, CHECK, NULL, "%s", error->message);
}

/* --- the topic --- */

static void
say_retention (Doctor *doctor, const char *topic, gint64 is_ms, gint64 wanted_ms)
{
  g_autofree char *config = g_strdup_printf ("retention.ms=%" G_GINT64_FORMAT, wanted_ms);
  g_autofree char *remedy = doctor_alter_topic (doctor, topic, config);
  const gint64 is = is_ms / DAY_MS, wanted = wanted_ms / DAY_MS;
  if (is_ms >= 0 && is_ms < wanted_ms)
    doctor_error (doctor, CODE_CONFIG, CHECK, remedy,
                  "topic %s keeps entries for %" G_GINT64_FORMAT " %s, and jobs remember for"
                  " %" G_GINT64_FORMAT " (remember)",
                  topic, is, plural (is, "day", "days"), wanted);
}

static void
check_topic (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *topic = cli_topic (doctor->cli, REMEMBER_TOPIC);
  g_autoptr (GArray) wanted = topics_wanted (doctor->cli->config, doctor->cli->jobs);
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (settings_of (doctor), &error);
  g_autofree KafkaTopic *found
      = admin != NULL ? topics_looked_at (admin, wanted, TIMEOUT_MS, &error) : NULL;
  g_autoptr (GPtrArray) other
      = found != NULL ? topics_settings (admin, wanted, found, FALSE, &error) : NULL;
  for (guint i = 0; other != NULL && i < wanted->len; i++) {
    g_autoptr (GPtrArray) asked = g_ptr_array_new ();
    gint64 ms = -1;
    if (!g_str_equal (found[i].name, topic) || found[i].partitions < 0)
      continue;
    if (other->pdata[i] != NULL)
      doctor_error (doctor, CODE_CONFIG, CHECK, "pruned topics --apply",
                    "topic %s has other settings: %s", topic, (char *)other->pdata[i]);
    g_ptr_array_add (asked, topic);
    if (kafka_longest_retention (settings_of (doctor), asked, TIMEOUT_MS, &ms, &error))
      say_retention (doctor, topic, ms, topics_remember_ms (doctor->cli->jobs));
  }
  if (error != NULL)
    doctor_ok (doctor, CHECK, "topic %s: not checked: %s", topic, error->message);
}

/* --- backups --- */

/* Events have named its rows, and once they are no longer in Kafka nothing does. A job without them
 * finds its rows by their columns, in a backup as well. */
static gboolean
is_forgetful (const Job *job)
{
  return job_names_rows (job) && !job_only_starts (job) && job->remember_days == 0;
}

/* The shortest time that the topics of its events keep messages. -1: for ever, or not known. */
static gint64
kept_ms (const Doctor *doctor, const Job *job)
{
  gint64 least = -1, ms;
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    g_autoptr (GPtrArray) asked = g_ptr_array_new ();
    if (event->own == NULL)
      continue;
    g_ptr_array_add (asked, event->own->topic);
    if (kafka_longest_retention (settings_of (doctor), asked, TIMEOUT_MS, &ms, NULL) && ms >= 0)
      least = least < 0 ? ms : MIN (least, ms);
  }
  return least;
}

static void
check_backups (Doctor *doctor)
{
  const gint64 keep = config_int (doctor->cli->config, "erasures", "backups_keep");
  g_autoptr (GString) names = g_string_new (NULL);
  gint64 least = -1;
  for (guint i = 0; keep > 0 && i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    const gint64 ms = is_forgetful (job) ? kept_ms (doctor, job) : -1;
    if (ms < 0 || ms >= keep * DAY_MS)
      continue;
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", job->name);
    least = least < 0 ? ms : MIN (least, ms);
  }
  const gint64 days = least / DAY_MS, open = keep - days;
  if (names->len > 0)
    doctor_warn (doctor, "backups",
                 "remember = 10 years in these jobs, with a ledger in [erasures]; or let the"
                 " topics keep messages as long as backups are kept",
                 "%s: topics keep %" G_GINT64_FORMAT " %s, the oldest backup %" G_GINT64_FORMAT
                 " ([erasures] backups_keep): erasures of %" G_GINT64_FORMAT " %s could come back",
                 names->str, days, plural (days, "day", "days"), keep, open,
                 plural (open, "day", "days"));
  else if (keep > 0)
    doctor_ok (doctor, "backups",
               "what events have named goes again after a backup of %" G_GINT64_FORMAT " %s", keep,
               plural (keep, "day", "days"));
}

void
doctor_erasures (Doctor *doctor)
{
  if (remember_is_on (doctor->cli->config)) {
    check_key (doctor);
    check_folder (doctor);
  }
  if (remember_in_topic (doctor->cli->config))
    check_topic (doctor);
  check_backups (doctor);
}
