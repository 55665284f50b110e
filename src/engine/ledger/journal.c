#include "engine/ledger/journal.h"

#include "engine/outbox/publish.h"

#define TYPE "pruned.outcomes.OperatorAction"

/* Names of the operating system need not be UTF-8. */
static char *
readable (const char *name)
{
  return g_utf8_make_valid (name != NULL && *name != '\0' ? name : "unknown", -1);
}

static char *acting; /* the person of journal_act_for; NULL: none */

void
journal_act_for (const char *person)
{
  g_free (acting);
  acting = readable (person);
}

const char *
journal_person (void)
{
  return acting;
}

/* A host that has the name of the page is not the page. */
static void
find_actor (char **os_user, char **host)
{
  *os_user = acting != NULL ? g_strdup (acting) : readable (g_get_user_name ());
  *host = acting != NULL                                   ? g_strdup (JOURNAL_PAGE)
          : g_str_equal (g_get_host_name (), JOURNAL_PAGE) ? g_strdup (JOURNAL_PAGE " (host)")
                                                           : readable (g_get_host_name ());
}

char *
journal_actor (void)
{
  g_autofree char *os_user = NULL, *host = NULL;
  find_actor (&os_user, &host);
  return g_strdup_printf ("%s@%s", os_user, host);
}

gboolean
journal_is_there (Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/ledger/sql/journal_there.sql", NULL, error);
  return rows != NULL && rows_bool (rows, 0, "there");
}

static PgRows *
put_row (Pg *pg, const JournalEntry *entry, const char *os_user, const char *host, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "os_user", os_user);
  pg_values_set (values, "host", host);
  pg_values_set (values, "command", entry->command);
  pg_values_set (values, "object", entry->object);
  pg_values_set (values, "reason", entry->reason);
  return pg_run_file (pg, "src/engine/ledger/sql/journal_put.sql", values, error);
}

gboolean
journal_put (Pg *pg, const Jobs *jobs, const char *prefix, const JournalEntry *entry,
             GError **error)
{
  g_autofree char *os_user = NULL, *host = NULL;
  find_actor (&os_user, &host);
  g_autoptr (PgRows) rows = put_row (pg, entry, os_user, host, error);
  if (rows == NULL || prefix == NULL)
    return rows != NULL;
  g_autofree char *id = g_uuid_string_random (), *topic = g_strconcat (prefix, ".outcomes", NULL);
  /* A process of an older version sends it as that of a job. */
  const char *job = jobs_count (jobs) > 0 ? jobs_at (jobs, 0)->name : "";
  g_autoptr (Bundle) bundle = bundle_new (id, JOURNAL_STEP, job, 0);
  const char *fields[] = { rows_text (rows, 0, "at"),
                           rows_text (rows, 0, "role"),
                           os_user,
                           host,
                           entry->command,
                           entry->object,
                           entry->reason };
  bundle_add (bundle, topic, -1, entry->object, TYPE, id, fields);
  return publish_leave (pg, bundle, error);
}
