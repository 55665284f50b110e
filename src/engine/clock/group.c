#include "engine/clock/group.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/uuid5.h"
#include "engine/clock/processes.h"
#include "kafka/settings.h"

#include <string.h>

#define MEMBERS_MS 5000
#define SESSION_MS 6000 /* as consumer.c has it */
#define AFTER_SESSION_MS 4000

/* --- members that the database does not know --- */

void
group_name_client (GPtrArray *settings)
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

const char *
group_process_of (const KafkaMember *member)
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
    if (group_process_of (members->pdata[i]) != NULL)
      array_add (ids, group_process_of (members->pdata[i]));
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "id", array_take (ids));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return pg_run_file (pg, "src/engine/clock/sql/group_unknown.sql", values, error);
}

/* *OLDER: one of them began before this process. */
static char *
strangers_of (Pg *pg, const GPtrArray *members, gboolean *older, GError **error)
{
  gboolean any = FALSE;
  for (guint i = 0; i < members->len; i++)
    any = any || group_process_of (members->pdata[i]) != NULL;
  g_autoptr (PgRows) rows = any ? unknown_of (pg, members, error) : NULL;
  if (any && rows == NULL)
    return NULL;
  g_autoptr (GString) words = g_string_new (NULL);
  for (guint i = 0; i < members->len; i++)
    for (int k = 0; rows != NULL && k < rows_count (rows); k++) {
      const KafkaMember *member = members->pdata[i];
      if (g_strcmp0 (group_process_of (member), rows_text (rows, k, "id")) != 0)
        continue;
      g_string_append_printf (words, "%sprocess %s at %s", words->len > 0 ? ", " : "",
                              group_process_of (member), member->host);
      *older = *older || strcmp (group_process_of (member), processes_id ()) < 0;
    }
  return g_string_free (g_steal_pointer (&words), FALSE);
}

char *
group_strangers (Pg *pg, const GPtrArray *members, GError **error)
{
  gboolean older = FALSE;
  return strangers_of (pg, members, &older, error);
}

/* --- whether there are any --- */

gboolean
group_ask (const Service *service, Pg *pg, char **strangers, gboolean *older, GError **error)
{
  g_autoptr (GError) unsaid = NULL;
  g_autoptr (GPtrArray) members = kafka_group_members ((const char *const *)service->kafka_settings,
                                                       service->prefix, MEMBERS_MS, &unsaid);
  *strangers = NULL;
  *older = FALSE;
  if (members == NULL) {
    log_warning ("It is not known who else is in the consumer group", "detail", unsaid->message);
    return TRUE;
  }
  *strangers = strangers_of (pg, members, older, error);
  return *strangers != NULL;
}

void
group_set_error (const Service *service, const char *strangers, GError **error)
{
  g_autofree char *words = origin_words (&service->origin);
  g_set_error (
      error, PRUNED_ERROR, PRUNED_FATAL,
      "the consumer group %s has members that this database does not know: %s. They work for a copy of it (this one is"
      " %s), or it is theirs. So this process, on %s, takes no partition. Give the copy another [topics] prefix and"
      " run there: pruned migrate --identity new",
      service->prefix, strangers, words, g_get_host_name ());
}

gint64
group_patience_us (const Service *service)
{
  const char *said
      = kafka_setting ((const char *const *)service->kafka_settings, "session.timeout.ms");
  const gint64 session_ms = said != NULL ? g_ascii_strtoll (said, NULL, 10) : SESSION_MS;
  return (session_ms + AFTER_SESSION_MS) * 1000;
}

/* --- while the process runs --- */

gboolean
group_look (Service *service, Pg *pg, GError **error)
{
  gint64 *since_us = &service->housekeeping.strangers_since_us;
  g_autofree char *strangers = NULL;
  gboolean older;
  if (!atomic_load (&service->shared.group_asked))
    return TRUE;
  if (!group_ask (service, pg, &strangers, &older, error))
    return FALSE;
  if (strangers == NULL || *strangers == '\0') {
    atomic_store (&service->shared.group_asked, FALSE);
    *since_us = 0;
    return TRUE;
  }
  const gint64 now_us = clock_monotonic_us ();
  if (*since_us == 0)
    *since_us = now_us;
  if (now_us - *since_us < group_patience_us (service))
    return TRUE;
  g_autoptr (GError) found = NULL;
  group_set_error (service, strangers, &found);
  if (older) {
    atomic_store (&service->shared.group_is_others, TRUE);
    service_fail (service, found);
    return TRUE;
  }
  return error_set (
      error, PRUNED_DATA,
      "%s is the elder, and goes on; it has members that this database does not know: %s",
      service->prefix, strangers);
}
