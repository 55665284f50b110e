#include "engine/step/erasure_tables.h"

#include "engine/job/in_force.h"
#include "engine/step/quarantine.h"

#include <string.h>

/* Counters of a run that are told of a table under the same names. */
static const char *const TOLD[] = { "removed", "changed", "kept", "gone" };

static gint64
count_of (const json_t *result, const char *counter)
{
  return json_integer_value (json_object_get (result, counter));
}

static json_t *
new_table (const char *table, const char *job)
{
  json_t *one = json_pack ("{s:s, s:s}", "table", table, "job", job);
  for (guint i = 0; i < G_N_ELEMENTS (TOLD); i++)
    json_object_set_new (one, TOLD[i], json_integer (0));
  json_object_set_new (one, "failed", json_integer (0));
  return one;
}

static void
add (json_t *table, const char *counter, gint64 n)
{
  json_object_set_new (table, counter, json_integer (count_of (table, counter) + n));
}

/* Rows of other tables that went, or were changed, with those of the run. */
static void
add_below (ErasureTables *tables, const char *job, const json_t *result)
{
  const char *name;
  json_t *counts;
  json_object_foreach (json_object_get (result, STEP_TABLES), name, counts) {
    json_t *table = new_table (name, job);
    add (table, "removed", count_of (counts, STEP_DELETED));
    add (table, "changed", count_of (counts, STEP_CHANGED));
    json_array_append_new (tables->list, table);
  }
}

/* Whether the run of ROW waits for a row that is held. */
static gboolean
is_held (const PgRows *runs, int row)
{
  const char *parked = rows_text (runs, row, "parked");
  return g_strcmp0 (parked, KEPT_HOLD) == 0 || g_strcmp0 (parked, KEPT_RESTORED) == 0;
}

/* A run about one row counts each try; one that has ended has no row left that fails. */
static void
add_stuck (json_t *table, const PgRows *runs, int row, const json_t *result)
{
  const json_t *why = json_object_get (result, STEP_KEPT);
  const gboolean held = is_held (runs, row);
  if (rows_text (runs, row, "parked") == NULL)
    return;
  if (!rows_bool (runs, row, "rows")) {
    add (table, held ? "kept" : "failed", 1);
    return;
  }
  add (table, "kept", count_of (why, KEPT_HOLD) + count_of (why, KEPT_RESTORED));
  add (table, "failed", count_of (result, "failed") + count_of (result, "passed_over"));
}

static void
add_reasons (json_t *table, const PgRows *runs, int row, const json_t *result)
{
  json_t *kept = json_object_get (result, STEP_KEPT);
  g_autoptr (json_t) reasons = kept != NULL ? json_deep_copy (kept) : json_object ();
  const char *parked = rows_text (runs, row, "parked");
  if (parked == NULL || !rows_bool (runs, row, "rows")) { /* it may have been released since */
    json_object_del (reasons, KEPT_HOLD);
    json_object_del (reasons, KEPT_RESTORED);
  }
  if (is_held (runs, row) && !rows_bool (runs, row, "rows"))
    json_object_set_new (reasons, parked, json_integer (1));
  if (json_object_size (reasons) > 0)
    json_object_set (table, "reasons", reasons);
}

/* Why the run has not done its part; NULL: it has. */
static const char *
failure_of (const json_t *table, const PgRows *runs, int row)
{
  const gboolean finished = g_str_equal (rows_text (runs, row, "state"), "finished");
  const char *why = rows_text (runs, row, "parked") != NULL && !finished
                        ? rows_text (runs, row, "parked")
                        : rows_text (runs, row, "error");
  if (finished || (!rows_bool (runs, row, "ended") && count_of (table, "failed") == 0))
    return NULL;
  return why != NULL ? why : rows_text (runs, row, "state");
}

static void
add_run (ErasureTables *tables, const char *job, const PgRows *runs, int row)
{
  const Job *known = jobs_find_loaded (in_force_jobs (), job);
  const char *name = known != NULL && known->table != NULL ? known->table : job,
             *text = rows_text (runs, row, "result");
  g_autoptr (json_t) result
      = text != NULL ? json_parse_exact (text, strlen (text), NULL) : json_object ();
  json_t *table = new_table (name, job);
  json_array_append_new (tables->list, table);
  if (json_object_get (result, "mode") != NULL) {
    tables->planned = TRUE;
    json_object_set_new (table, "reason", json_string ("plan"));
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (TOLD); i++)
    add (table, TOLD[i], count_of (result, TOLD[i]));
  add (table, "removed", count_of (result, "below"));
  add_stuck (table, runs, row, result);
  add_reasons (table, runs, row, result);
  const char *why = failure_of (table, runs, row);
  if (why != NULL) {
    json_object_set_new (table, "reason", json_string (why));
    if (tables->failed == NULL)
      tables->failed = g_strdup_printf ("%s: %s", name, why);
  }
  add_below (tables, job, result);
}

void
erasure_tables_read (ErasureTables *tables, const SentenceEvent *erasure, const PgRows *runs)
{
  g_autoptr (GHashTable) rows = rows_index (runs, "job");
  tables->list = json_array ();
  for (char **job = erasure->jobs; *job != NULL; job++)
    add_run (tables, *job, runs, GPOINTER_TO_INT (g_hash_table_lookup (rows, *job)) - 1);
  for (int i = 0; i < rows_count (runs); i++) { /* asked before the list became another one */
    const char *job = rows_text (runs, i, "job");
    if (!g_strv_contains ((const char *const *)erasure->jobs, job))
      add_run (tables, job, runs, i);
  }
}

void
erasure_tables_clear (ErasureTables *tables)
{
  g_clear_pointer (&tables->list, json_decref);
  g_free (tables->failed);
}

/* Its rows are counted by the runs that have changed them: metrics add up the counters of all
 * runs, so the erasure has no counter of its own. */
void
erasure_tables_count (const ErasureTables *tables, Step *step)
{
  gsize i;
  json_t *table;
  json_array_foreach (tables->list, i, table) {
    const char *name = json_string_value (json_object_get (table, "table"));
    g_autoptr (json_t) counts = json_object (), more = NULL;
    for (guint c = 0; c < G_N_ELEMENTS (TOLD); c++)
      if (count_of (table, TOLD[c]) != 0)
        json_object_set (counts, TOLD[c], json_object_get (table, TOLD[c]));
    if (count_of (table, "failed") != 0)
      json_object_set (counts, "failed", json_object_get (table, "failed"));
    more = json_pack ("{s:{s:O}}", STEP_TABLES, name, counts);
    step_add_counts (step->counts, more);
  }
}
