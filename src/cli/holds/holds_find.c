#include "cli/holds/holds.h"

#include "engine/job/sentence/catalogue.h"
#include "engine/job/sentence/list.h"
#include "engine/job/sentence/sql_text.h"
#include "engine/view/row/row_name.h"

#include <string.h>

#define SQL "src/cli/holds/sql/"
#define CHUNK 100000 /* keys of a statement */

void
holds_table_free (gpointer data)
{
  HoldTable *table = data;
  g_free (table->tab);
  g_free (table->name);
  g_ptr_array_unref (table->keys);
  g_free (table);
}

HoldTable *
holds_table_new (const char *tab, const char *name)
{
  HoldTable *table = g_new0 (HoldTable, 1);
  *table = (HoldTable){ g_strdup (tab), g_strdup (name), g_ptr_array_new_with_free_func (g_free) };
  return table;
}

gboolean
holds_follow (Pg *pg, GError **error)
{
  g_autoptr (PgRows) done = pg_run_file (pg, "src/engine/work/sql/holds_follow.sql", NULL, error);
  return done != NULL;
}

/* --- a condition ------------------------------------------------------------------------------ */

static ExitCode
check_where (Pg *pg, const char *where, GError **error)
{
  if (!sql_text_is_expression (where, error)) {
    g_prefix_error (error, "--where: ");
    return CODE_USAGE;
  }
  GString *schemas = array_new (), *names = array_new ();
  sql_text_calls (where, schemas, names);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "schemas", array_take (schemas));
  pg_values_take (values, "names", array_take (names));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "volatile.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (rows_text (rows, 0, "name") == NULL)
    return CODE_OK;
  return cli_usage (error,
                    "--where calls %s, which is volatile: it can say something else each time, so "
                    "nobody could say later which rows were meant",
                    rows_text (rows, 0, "name"));
}

static ExitCode
check_table (const char *asked, const CatTable *table, GError **error)
{
  if (table == NULL || table->kind == 0 || strchr ("rp", table->kind) == NULL)
    return cli_fail (CODE_NOT_FOUND, error, "there is no table '%s'", asked);
  if (table->key->len == 0)
    return cli_usage (error, "%s has no primary key: its rows cannot be named", table->name);
  if (table->inherited)
    return cli_usage (
        error,
        "other tables inherit from %s, and a row of theirs is held by the name of its "
        "own table: ask each table, and name rows of %s itself by their keys",
        table->name, table->name);
  if (table->hidden)
    return cli_usage (error,
                      "row-level security hides rows of %s from this role: what it does not see it "
                      "cannot hold. Run this as the owner of the table",
                      table->name);
  return CODE_OK;
}

static ExitCode
ask_rows (Pg *pg, const CatTable *table, const char *where, HoldTable **found, GError **error)
{
  g_autofree char *key
      = list_key (table),
      *sql = g_strdup_printf ("SELECT pg_catalog.format('%%s', %s) AS key FROM %s WHERE (%s)", key,
                              table->name, where),
      *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1),
      *name = g_strdup_printf ("the statement that asks it (%.8s)", sum);
  const PgStatement *statement = pg_statement_text (name, sql, error);
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (pg, statement, NULL, error) : NULL;
  if (rows == NULL) {
    g_prefix_error (error, "--where: ");
    return statement == NULL || g_str_has_prefix (pg_sqlstate (pg), "42")
                   || g_str_has_prefix (pg_sqlstate (pg), "22")
                   || g_str_equal (pg_sqlstate (pg), "25006")
               ? CODE_USAGE
               : cli_pg_failed (pg, error);
  }
  *found = holds_table_new (table->name, table->name);
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add ((*found)->keys, g_strdup (rows_text (rows, i, "key")));
  return CODE_OK;
}

ExitCode
holds_find (Pg *pg, const char *table, const char *where, HoldTable **found, GError **error)
{
  const Sentence sentence = { .table = (char *)table, .where = (char *)where };
  if (!pg_begin_read_only (pg, error) || !pg_exec (pg, "SET LOCAL statement_timeout = 0", error))
    return cli_pg_failed (pg, error);
  ExitCode code = check_where (pg, where, error);
  g_autoptr (Catalogue) catalogue = code == CODE_OK ? catalogue_read (pg, &sentence, error) : NULL;
  if (code == CODE_OK && catalogue == NULL)
    code = cli_pg_failed (pg, error);
  const CatTable *own = catalogue != NULL ? catalogue_asked (catalogue, table) : NULL;
  if (code == CODE_OK)
    code = check_table (table, own, error);
  if (code == CODE_OK)
    code = ask_rows (pg, own, where, found, error);
  pg_rollback (pg);
  return code;
}

/* --- whether rows are there ------------------------------------------------------------------- */

/* Those of TABLE's keys from FROM on that are of a row are added to THERE. */
static gboolean
add_there (Pg *pg, const PgStatement *statement, const HoldTable *table, guint from,
           GHashTable *there, GError **error)
{
  GString *keys = array_new ();
  for (guint i = from; i < table->keys->len && i < from + CHUNK; i++)
    array_add (keys, table->keys->pdata[i]);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", array_take (keys));
  g_autoptr (PgRows) rows = pg_run (pg, statement, values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    g_hash_table_add (there, g_strdup (rows_text (rows, i, "key")));
  return rows != NULL;
}

gboolean
holds_missing (Pg *pg, const HoldTable *table, char **missing, guint *n_missing, GPtrArray *went,
               GError **error)
{
  g_autoptr (GHashTable) there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const PgStatement *statement = row_name_there (pg, table->tab, table->name, NULL, NULL, error);
  if (statement == NULL)
    return FALSE;
  for (guint from = 0; from < table->keys->len; from += CHUNK)
    if (!add_there (pg, statement, table, from, there, error))
      return FALSE;
  *n_missing = 0;
  for (guint i = 0; i < table->keys->len; i++) {
    const char *key = table->keys->pdata[i];
    if (g_hash_table_contains (there, key))
      continue;
    if ((*n_missing)++ == 0)
      *missing = g_strdup_printf ("%s:%s", table->name, key);
    if (went != NULL)
      g_ptr_array_add (went, g_strdup (key));
  }
  return TRUE;
}
