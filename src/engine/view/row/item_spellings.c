#include "engine/view/row/item_private.h"

#define COMPOSE "src/engine/view/row/sql/key_spellings.sql"

/* The recorded keys that are equal to ITEM's. */
static PgRows *
equal_keys (const Item *item, Pg *pg, const char *sql, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "key", item->key);
  g_autofree char *name = g_strdup_printf (COMPOSE " (%08x)", g_str_hash (sql));
  const PgStatement *query = pg_statement_text (name, sql, error);
  return query != NULL ? pg_run (pg, query, values, error) : NULL;
}

/* A key that is recorded as ITEM's is written, or in another way, is ITEM's. */
static void
take (Item *item, const PgRows *rows)
{
  gboolean known = FALSE;
  for (int i = 0; i < rows_count (rows); i++)
    known = known || g_str_equal (rows_text (rows, i, "key"), item->key);
  for (int i = 0; i < rows_count (rows); i++) {
    const char *key = rows_text (rows, i, "key");
    if (!known && i == 0) {
      g_free (item->key);
      item->key = g_strdup (key);
      g_clear_pointer (&item->in_json, g_free); /* values of these types are alike in rows */
    } else if (!g_str_equal (key, item->key))
      g_ptr_array_add (item->spellings, g_strdup (key));
  }
}

gboolean
item_take_spellings (Item *item, Pg *pg, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_clear_pointer (&item->spellings, g_ptr_array_unref);
  item->spellings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", item->table);
  pg_values_set (values, "known", item->known);
  g_autoptr (PgRows) made
      = pg_begin_read_only (pg, error) ? pg_run_file (pg, COMPOSE, values, error) : NULL;
  g_autoptr (PgRows) rows = made != NULL && rows_count (made) > 0
                                ? equal_keys (item, pg, rows_text (made, 0, "sql"), &cause)
                                : NULL;
  /* The audit can have keys of an earlier type of the column. */
  const gboolean other = cause != NULL && pg_is_no_value (pg);
  pg_rollback (pg);
  if (rows != NULL)
    take (item, rows);
  if (cause == NULL || other)
    return made != NULL;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}
