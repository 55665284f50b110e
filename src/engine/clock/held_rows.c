#include "engine/clock/held_rows.h"

#include "engine/step/held.h"

/* LOST: NULL: none. */
static PgValues *
counted (const PgRows *lost)
{
  g_autoptr (GHashTable) tables = g_hash_table_new (g_str_hash, g_str_equal);
  GString *names = array_new (), *numbers = array_new ();
  for (int i = 0; lost != NULL && i < rows_count (lost); i++) {
    gpointer tab = (gpointer)rows_text (lost, i, "tab");
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (tables, tab));
    g_hash_table_insert (tables, tab, GUINT_TO_POINTER (n + 1));
  }
  GHashTableIter iter;
  gpointer tab, n;
  g_hash_table_iter_init (&iter, tables);
  while (g_hash_table_iter_next (&iter, &tab, &n)) {
    array_add (names, tab);
    array_add_int (numbers, GPOINTER_TO_UINT (n));
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "tab", array_take (names));
  pg_values_take (values, "n", array_take (numbers));
  return values;
}

gboolean
held_rows_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) lost = NULL;
  if (!pg_begin_read_only (pg, error))
    return FALSE;
  const gboolean looked = held_lost (pg, &lost, error);
  pg_rollback (pg);
  if (!looked)
    return FALSE;
  g_autoptr (PgValues) values = counted (lost);
  g_autoptr (PgRows) noted
      = pg_run_alone (pg, "src/engine/clock/sql/held_missed.sql", values, error);
  return noted != NULL;
}
