#include "engine/view/row/row_name.h"

#include "engine/job/sentence/catalogue.h"
#include "engine/job/sentence/list.h"

#define SQL "src/engine/view/row/sql/"

void
row_name_clear (RowName *row)
{
  g_clear_pointer (&row->tab, g_free);
  g_clear_pointer (&row->name, g_free);
  g_clear_pointer (&row->key, g_free);
}

void
row_name_last_clear (RowNameLast *last)
{
  g_clear_pointer (&last->tab, g_free);
  last->statement = NULL;
}

const PgStatement *
row_name_there (Pg *pg, const char *tab, const char *name, const char *own, const char *alias,
                GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", tab);
  pg_values_set (values, "own", own);
  pg_values_set (values, "alias", alias);
  g_autoptr (PgRows) made = pg_run_file (pg, SQL "there.sql", values, error);
  if (made == NULL)
    return NULL;
  if (rows_count (made) == 0)
    return error_null (
        error, PRUNED_REJECT,
        "%s has no primary key, or row-level security hides rows of it from this role: what "
        "it does not see it cannot hold. Run this as the owner of the table",
        name);
  const char *sql = rows_text (made, 0, "sql");
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1);
  return pg_statement_text (sum, sql, error);
}

/* The statement that says how jobs write keys of the table TAB. NULL without ERROR: nobody can say.
 */
static const PgStatement *
own_statement (Pg *pg, const char *tab, GError **error)
{
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
      = row_name_there (pg, tab, tab, text, text != NULL ? own->own : NULL, &cause);
  if (statement == NULL && cause->code != PRUNED_REJECT)
    g_propagate_error (error, g_steal_pointer (&cause));
  g_clear_error (&cause);
  return statement;
}

/* *KEY (g_free it) of a row of TAB, as SQL writes that, becomes the key that jobs name the row by:
 * `1.00` for `1.0`. A row that is not there, or cannot be seen, keeps the key that is given. */
static gboolean
own_key (Pg *pg, const char *tab, RowNameLast *last, char **key, GError **error)
{
  if (g_strcmp0 (last->tab, tab) != 0) {
    GError *cause = NULL;
    const PgStatement *of_tab = own_statement (pg, tab, &cause);
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return FALSE;
    }
    row_name_last_clear (last);
    *last = (RowNameLast){ g_strdup (tab), of_tab };
  }
  const PgStatement *statement = last->statement;
  if (statement == NULL)
    return TRUE;
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

ItemEnd
row_name_read (const Jobs *jobs, Pg *pg, const char *text, RowNameLast *last, RowName *row,
               GError **error)
{
  g_auto (RowNameLast) only = { 0 };
  g_auto (Item) item = { 0 };
  if (!item_parse (text, &item, error))
    return ITEM_WRONG;
  const ItemEnd end = item_check (&item, jobs, pg, TRUE, error);
  if (end != ITEM_READ)
    return end;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", item.table);
  pg_values_set (values, "key", item.key);
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error) ? pg_run_file (pg, SQL "item.sql", values, error) : NULL;
  char *key = rows != NULL ? key_text (pg, &item, rows, error) : NULL;
  pg_rollback (pg);
  if (key == NULL)
    return ITEM_FAILED;
  *row = (RowName){ g_strdup (rows_text (rows, 0, "tab")), g_strdup (item.table), key };
  return own_key (pg, row->tab, last != NULL ? last : &only, &row->key, error) ? ITEM_READ
                                                                               : ITEM_FAILED;
}
