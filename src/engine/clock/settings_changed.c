#include "engine/clock/settings_changed.h"

#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"

#define SQL "src/engine/clock/sql/"

typedef struct {
  GString *names, *values;
} Given;

static void
add (const char *key, const char *value, const char *origin, gpointer data)
{
  Given *given = data;
  array_add (given->names, key);
  array_add (given->values, value);
}

static PgRows *
compare (Pg *pg, GError **error)
{
  Given given = { array_new (), array_new () };
  config_each (in_force_config (), add, &given);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "name", array_take (given.names));
  pg_values_take (values, "value", array_take (given.values));
  g_autoptr (PgRows) lock = pg_run_file (pg, SQL "settings_lock.sql", NULL, error);
  return lock != NULL ? pg_run_file (pg, SQL "settings_note.sql", values, error) : NULL;
}

/* A setting of which only one side knows belongs to another version, not to an operator, unless it
 * is Kafka's: those have no list. */
static gboolean
is_of_interest (const PgRows *rows, int row)
{
  return rows_bool (rows, row, "known")
         && ((rows_text (rows, row, "value") != NULL && rows_text (rows, row, "was") != NULL)
             || g_str_has_prefix (rows_text (rows, row, "name"), "kafka."));
}

static gboolean
put (Service *service, Pg *pg, const char *command, const PgRows *rows, int row, GError **error)
{
  const char *was = rows_text (rows, row, "was"), *value = rows_text (rows, row, "value");
  g_autofree char *reason = g_strdup_printf ("was %s, is %s", was != NULL ? was : "not set",
                                             value != NULL ? value : "not set");
  JournalEntry entry = { command, rows_text (rows, row, "name"), reason };
  return journal_put (pg, in_force_jobs (), service->prefix, &entry, error);
}

gboolean
settings_changed (Service *service, Pg *pg, const char *command, GError **error)
{
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) rows = compare (pg, error);
  gboolean ok = rows != NULL;
  for (int i = 0; ok && i < rows_count (rows); i++)
    if (is_of_interest (rows, i))
      ok = put (service, pg, command, rows, i, error);
  if (ok && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}
