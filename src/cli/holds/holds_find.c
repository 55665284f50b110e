#include "cli/holds/holds.h"

#include "cli/item.h"
#include "engine/job/sentence/catalogue.h"
#include "engine/job/sentence/list.h"
#include "engine/job/sentence/sql_text.h"

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

/* --- a row ------------------------------------------------------------------------------------ */

/* OWN: the key as jobs write it, as SQL about a row of ALIAS; NULL: a key of one column, or nobody
 * asks. */
static const PgStatement *
there_statement (Pg *pg, const HoldTable *table, const char *own, const char *alias, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", table->tab);
  pg_values_set (values, "own", own);
  pg_values_set (values, "alias", alias);
  g_autoptr (PgRows) made = pg_run_file (pg, SQL "there.sql", values, error);
  if (made == NULL)
    return NULL;
  if (rows_count (made) == 0) {
    g_set_error (
        error, PRUNED_ERROR, PRUNED_REJECT,
        "%s has no primary key, or row-level security hides rows of it from this role: what "
        "it does not see it cannot hold. Run this as the owner of the table",
        table->name);
    return NULL;
  }
  const char *sql = rows_text (made, 0, "sql");
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1);
  return pg_statement_text (sum, sql, error);
}

/* The statement that says how jobs write keys of the table TAB. NULL without ERROR: nobody can say.
 */
static const PgStatement *
own_statement (Pg *pg, const char *tab, GError **error)
{
  const HoldTable table = { (char *)tab, (char *)tab, NULL };
  const Sentence sentence = { .table = (char *)tab, .where = (char *)"true" };
  GError *cause = NULL;
  if (!pg_begin_read_only (pg, error))
    return NULL;
  g_autoptr (Catalogue) catalogue = catalogue_read (pg, &sentence, error);
  pg_rollback (pg);
  if (catalogue == NULL)
    return NULL;
  const CatTable *own = catalogue_asked (catalogue, tab);
  g_autofree char *key = own != NULL && own->key->len > 1 ? list_key (own) : NULL,
                  *text
                  = key != NULL ? g_strdup_printf ("pg_catalog.format('%%s', %s)", key) : NULL;
  const PgStatement *statement
      = there_statement (pg, &table, text, text != NULL ? own->own : NULL, &cause);
  if (statement == NULL && cause->code != PRUNED_REJECT)
    g_propagate_error (error, g_steal_pointer (&cause));
  g_clear_error (&cause);
  return statement;
}

/* *KEY (g_free it) of a row of TAB, as SQL writes that, becomes the key that jobs name the row by:
 * `1.00` for `1.0`. A row that is not there, or cannot be seen, keeps the key that is given. */
static gboolean
own_key (Pg *pg, const char *tab, char **key, GError **error)
{
  GError *cause = NULL;
  const PgStatement *statement = own_statement (pg, tab, &cause);
  if (statement == NULL) {
    if (cause != NULL)
      g_propagate_error (error, cause);
    return cause == NULL;
  }
  GString *keys = array_new ();
  array_add (keys, *key);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", array_take (keys));
  g_autoptr (PgRows) rows = pg_run (pg, statement, values, error);
  if (rows != NULL && rows_count (rows) > 0) {
    g_free (*key);
    *key = g_strdup (rows_text (rows, 0, "own"));
  }
  return rows != NULL;
}

/* KEY, as SQL reads it. NULL with ERROR. */
static char *
read_key (Pg *pg, const char *sql, const char *key, GError **error)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "key", key);
  const PgStatement *statement = pg_statement_text (sum, sql, error);
  g_autoptr (PgRows) read = statement != NULL ? pg_run (pg, statement, values, error) : NULL;
  return read != NULL ? g_strdup (rows_text (read, 0, "key")) : NULL;
}

/* The key of ITEM, of the only row of ROWS (item.sql). NULL with ERROR. */
static char *
key_text (Pg *pg, const Item *item, const PgRows *rows, GError **error)
{
  const char *sql = rows_text (rows, 0, "sql"), *literal = rows_text (rows, 0, "literal");
  if (sql == NULL || item->columns)
    return g_strdup (rows_text (rows, 0, "key"));
  return literal != NULL ? read_key (pg, literal, item->text, error)
                         : read_key (pg, sql, item->key, error);
}

ExitCode
holds_read_item (const Cli *cli, Pg *pg, const char *text, char **tab, char **name, char **key,
                 GError **error)
{
  g_auto (Item) item = { 0 };
  if (!item_parse (text, &item, error))
    return CODE_USAGE;
  const ExitCode code = item_check (&item, cli, pg, TRUE, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", item.table);
  pg_values_set (values, "key", item.key);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "item.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  *tab = g_strdup (rows_text (rows, 0, "tab"));
  *name = g_strdup (item.table);
  *key = key_text (pg, &item, rows, error);
  return *key != NULL && own_key (pg, *tab, key, error) ? CODE_OK : cli_pg_failed (pg, error);
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
  const PgStatement *statement = there_statement (pg, table, NULL, NULL, error);
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
