#include "engine/step/held.h"

#define MISSING "src/engine/step/sql/held_missing.sql"
#define FETCH "FETCH ALL FROM pruned_held"

/* The statement that begins with VERB and has the query that MADE has composed. NULL without ERROR:
 * there is nothing to ask. */
static const PgStatement *
composed (const PgRows *made, const char *verb, GError **error)
{
  if (rows_count (made) == 0)
    return NULL;
  g_autofree char *sql = g_strconcat (verb, rows_text (made, 0, "sql"), NULL),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1),
                  *name = g_strdup_printf (MISSING "#%.20s", sum);
  return pg_statement_text (name, sql, error);
}

gboolean
held_explain (Step *step, GError *cause, GError **error)
{
  if (!pg_is_no_value (step->pg)) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  step_block (step, error,
              "the keys of rows that are held cannot be compared with those of their table: %s; "
              "pruned holds --rows shows them, pruned release TABLE:KEY releases one",
              cause->message);
  g_error_free (cause);
  return FALSE;
}

/* A cursor sees the rows as they were when it was declared, and looks for none before it is read.
 * *IS: there is one. */
static gboolean
declare_before (Step *step, gboolean *is, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GError *cause = NULL;
  pg_values_set (values, "after", "f");
  pg_values_set (values, "known", "f");
  const PgRows *made = pg_run_once (step->pg, pg_statement (MISSING), values, error);
  if (made == NULL)
    return FALSE;
  const PgStatement *declare = composed (made, "DECLARE pruned_held NO SCROLL CURSOR FOR ", &cause);
  *is = declare != NULL;
  if (cause == NULL && declare != NULL)
    (void)pg_run_once (step->pg, declare, NULL, &cause);
  return cause == NULL || held_explain (step, cause, error);
}

gboolean
held_begin (Step *step, GError **error)
{
  gboolean is;
  step->takes_held = NULL;
  return !step->run->holds || declare_before (step, &is, error);
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

/* Of the rows NOW that are missing, the first that was there when the transaction began. */
static gboolean
find_new (Step *step, const PgRows *now, int *row, GError **error)
{
  GError *cause = NULL;
  gboolean is = FALSE;
  if (!declare_before (step, &is, error))
    return FALSE;
  const PgStatement *fetch = is ? pg_statement_text (FETCH, FETCH, error) : NULL;
  if (is && fetch == NULL)
    return FALSE;
  g_autoptr (PgRows) before = is ? pg_run (step->pg, fetch, NULL, &cause) : NULL;
  *row = first_new (before, now);
  return cause == NULL || held_explain (step, cause, error);
}

gboolean
held_stay (Step *step, GError **error)
{
  GError *cause = NULL;
  if (!step->run->holds)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "after", "t");
  pg_values_set (values, "known", step->below_known ? "t" : "f");
  g_autoptr (PgRows) made = pg_run_file (step->pg, MISSING, values, error);
  const PgStatement *query = made != NULL ? composed (made, "", &cause) : NULL;
  g_autoptr (PgRows) now = query != NULL ? pg_run (step->pg, query, NULL, &cause) : NULL;
  if (made == NULL || cause != NULL)
    return made != NULL && held_explain (step, cause, error);
  int row = -1;
  if (now == NULL || rows_count (now) == 0 || !find_new (step, now, &row, error))
    return now == NULL || rows_count (now) == 0;
  if (row < 0)
    return TRUE;
  return step_keep (step, error, rows_text (now, row, "kind"), rows_text (now, row, "item"), "it");
}

/* --- what jobs see of it (pruned/job.h) --- */

gboolean
step_keep (Step *step, GError **error, const char *kind, const char *item, const char *with)
{
  const gboolean hold = g_str_equal (kind, "hold");
  step->takes_held = hold ? "hold" : "restored";
  return step_fail (step, error, PRUNED_DATA,
                    "%s would go or change with %s, a row that %s: pruned release '%s' releases it",
                    item, with, hold ? "is on hold" : "pruned restore has brought back and holds",
                    item);
}
