#include "engine/whose.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/uuid5.h"
#include "engine/clock/processes.h"
#include "engine/ledger/database.h"
#include "engine/outbox/owner.h"
#include "engine/watchdog.h"
#include "kafka/settings.h"

#include <string.h>

#define MEMBERS_MS 5000
#define LOOK_EVERY_US (G_USEC_PER_SEC / 4)
#define SESSION_MS 6000 /* as consumer.c has it */
#define AFTER_SESSION_MS 4000

/* --- the topics --- */

static Whose
whose_by (const GError *error)
{
  return error->code == PRUNED_FATAL ? WHOSE_OTHERS : WHOSE_KAFKA;
}

static Whose
check_topics (const Service *service, GError **error)
{
  const char *const *settings = (const char *const *)service->kafka_settings;
  g_auto (Origin) owner = { NULL };
  if (service->clock_topic == NULL
      || (owner_read (settings, service->clock_topic, &owner, error)
          && owner_settle (settings, service->prefix, &owner, &service->origin, error)))
    return WHOSE_OURS;
  return whose_by (*error);
}

/* --- the group --- */

void
whose_name_client (GPtrArray *settings)
{
  gboolean named = FALSE;
  for (guint i = 0; i < settings->len; i += 2)
    named = named || g_str_equal (settings->pdata[i], "client.id");
  if (named)
    return;
  g_ptr_array_add (settings, g_strdup ("client.id"));
  g_ptr_array_add (settings,
                   g_strconcat (KAFKA_MEMBER_OF PRUNED_VERSION "/", processes_id (), NULL));
}

/* The process's id in a client.id; NULL: it has none. */
static const char *
process_of (const KafkaMember *member)
{
  const char *slash = g_str_has_prefix (member->client_id, KAFKA_MEMBER_OF)
                          ? strchr (member->client_id, '/')
                          : NULL;
  return slash != NULL && uuid5_is_valid (slash + 1) ? slash + 1 : NULL;
}

static PgRows *
unknown_of (Pg *pg, const GPtrArray *members, GError **error)
{
  GString *ids = array_new ();
  for (guint i = 0; i < members->len; i++)
    if (process_of (members->pdata[i]) != NULL)
      array_add (ids, process_of (members->pdata[i]));
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "id", array_take (ids));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return pg_run_file (pg, "src/engine/sql/processes_unknown.sql", values, error);
}

char *
whose_strangers (Pg *pg, const GPtrArray *members, GError **error)
{
  gboolean any = FALSE;
  for (guint i = 0; i < members->len; i++)
    any = any || process_of (members->pdata[i]) != NULL;
  g_autoptr (PgRows) rows = any ? unknown_of (pg, members, error) : NULL;
  if (any && rows == NULL)
    return NULL;
  g_autoptr (GString) words = g_string_new (NULL);
  for (guint i = 0; i < members->len; i++)
    for (int k = 0; rows != NULL && k < rows_count (rows); k++) {
      const KafkaMember *member = members->pdata[i];
      if (g_strcmp0 (process_of (member), rows_text (rows, k, "id")) == 0)
        g_string_append_printf (words, "%sprocess %s at %s", words->len > 0 ? ", " : "",
                                process_of (member), member->host);
    }
  return g_string_free (g_steal_pointer (&words), FALSE);
}

/* How long a member may be unknown: that of a killed process is in the group until its session's
 * end, and perhaps longer than its row counts. A process has its row before it joins. */
static gint64
patience_us (const Service *service)
{
  const char *said
      = kafka_setting ((const char *const *)service->kafka_settings, "session.timeout.ms");
  const gint64 session_ms = said != NULL ? g_ascii_strtoll (said, NULL, 10) : SESSION_MS;
  return (session_ms + AFTER_SESSION_MS) * 1000;
}

/* *STRANGERS: NULL if it cannot be known, because the broker does not say who is in the group. */
static gboolean
look (const Service *service, Pg *pg, char **strangers, GError **error)
{
  g_autoptr (GError) unsaid = NULL;
  g_autoptr (GPtrArray) members = kafka_group_members ((const char *const *)service->kafka_settings,
                                                       service->prefix, MEMBERS_MS, &unsaid);
  *strangers = NULL;
  if (members == NULL) {
    log_warning ("It is not known who else is in the consumer group", "detail", unsaid->message);
    return TRUE;
  }
  *strangers = whose_strangers (pg, members, error);
  return *strangers != NULL;
}

static void
set_error (const Service *service, const char *strangers, GError **error)
{
  g_autofree char *words = origin_words (&service->origin);
  g_set_error (
      error, PRUNED_ERROR, PRUNED_FATAL,
      "the consumer group %s has members that this database does not know: %s. They work for a copy of it (this one is"
      " %s), or it is theirs. So this process, on %s, takes no partition. Give the copy another [topics] prefix and"
      " run there: pruned migrate --identity new",
      service->prefix, strangers, words, g_get_host_name ());
}

static Whose
wait_for_group (const Service *service, Pg *pg, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + patience_us (service);
  for (;; g_usleep (LOOK_EVERY_US)) {
    g_autofree char *strangers = NULL;
    if (!look (service, pg, &strangers, error))
      return WHOSE_POSTGRES;
    if (strangers == NULL || *strangers == '\0')
      return WHOSE_OURS;
    log_warning_every (5, "strangers", "The database does not know members of the consumer group",
                       strangers);
    if (clock_monotonic_us () < until_us && !watchdog_asked_to_end ())
      continue;
    set_error (service, strangers, error);
    return WHOSE_OTHERS;
  }
}

static Whose
check_group (Service *service, GError **error)
{
  PgSettings settings = service->pg;
  settings.prepare = FALSE; /* it ends soon */
  g_autoptr (Pg) pg = pg_new (&settings);
  Whose whose
      = processes_beat (service, pg, error) ? wait_for_group (service, pg, error) : WHOSE_POSTGRES;
  if (whose != WHOSE_OURS)
    processes_leave (pg);
  return whose;
}

Whose
whose_check (Service *service, gboolean embedded, GError **error)
{
  if (!database_check (&service->origin, error))
    return WHOSE_OTHERS;
  origin_begin (service->origin.database);
  const Whose topics = embedded ? WHOSE_OURS : check_topics (service, error);
  return embedded || topics != WHOSE_OURS ? topics : check_group (service, error);
}
