#include "engine/step/restored.h"

#define MISSING "src/engine/step/sql/restored_missing.sql"

/* The query that MADE has composed. NULL without ERROR: there is nothing to ask. */
static const PgStatement *
composed (const PgRows *made, GError **error)
{
  if (rows_count (made) == 0)
    return NULL;
  const char *sql = rows_text (made, 0, "sql");
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1),
                  *name = g_strdup_printf (MISSING "#%.20s", sum);
  return pg_statement_text (name, sql, error);
}

/* A key that is no value of its column any more says nothing about the table. */
static gboolean
explain (Step *step, GError *cause, GError **error)
{
  if (!pg_is_no_value (step->pg)) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  step_block (step, error,
              "the keys of rows that pruned restore holds cannot be compared with those of their "
              "table: %s; pruned quarantine list shows them, pruned quarantine drop JOB ITEM "
              "releases one",
              cause->message);
  g_error_free (cause);
  return FALSE;
}

/* What was missing when the transaction began. *ROWS: the step's connection's, NULL: nothing was
 * held. */
static gboolean
missing_before (Step *step, const PgRows **rows, GError **error)
{
  GError *cause = NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "after", "f");
  *rows = NULL;
  const PgRows *made = pg_run_once (step->pg, pg_statement (MISSING), values, error);
  const PgStatement *query = made != NULL ? composed (made, &cause) : NULL;
  if (query != NULL)
    *rows = pg_run_once (step->pg, query, NULL, &cause);
  return made != NULL && (cause == NULL || explain (step, cause, error));
}

gboolean
restored_begin (Step *step, GError **error)
{
  const PgRows *before;
  step->takes_restored = FALSE;
  return !step->run->restored || missing_before (step, &before, error);
}

/* The first of NOW that is not in BEFORE; -1: none. */
static int
first_new (const PgRows *before, const PgRows *now)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; before != NULL && i < rows_count (before); i++)
    g_hash_table_add (known, (gpointer)rows_text (before, i, "item"));
  for (int i = 0; i < rows_count (now); i++)
    if (!g_hash_table_contains (known, rows_text (now, i, "item")))
      return i;
  return -1;
}

gboolean
restored_stay (Step *step, GError **error)
{
  GError *cause = NULL;
  if (!step->run->restored)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "after", "t");
  g_autoptr (PgRows) made = pg_run_file (step->pg, MISSING, values, error);
  const PgStatement *query = made != NULL ? composed (made, &cause) : NULL;
  g_autoptr (PgRows) now = query != NULL ? pg_run (step->pg, query, NULL, &cause) : NULL;
  if (made == NULL || cause != NULL)
    return made != NULL && explain (step, cause, error);
  const PgRows *before;
  if (now == NULL)
    return TRUE;
  if (!missing_before (step, &before, error))
    return FALSE;
  const int row = first_new (before, now);
  if (row < 0)
    return TRUE;
  step->takes_restored = TRUE;
  const char *job = rows_text (now, row, "job"), *item = rows_text (now, row, "item");
  return step_fail (step, error, PRUNED_DATA,
                    "%s would go with it, a row that pruned restore has brought back and holds: "
                    "pruned quarantine drop %s '%s' releases it",
                    item, job, item);
}
