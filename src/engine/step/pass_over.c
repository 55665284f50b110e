#include "engine/step/pass_over.h"

#include "engine/job/in_force.h"
#include "engine/step/quarantine.h"
#include "engine/step/row_again.h"

static gboolean
is_asked (const Step *step)
{
  return job_is_asked (step->job, step->run->args);
}

void
pass_over_kept (Step *step, const char *reason)
{
  if (!job_is_asked (step->job, step->run->args))
    return;
  g_autoptr (json_t) more = json_pack ("{s:{s:i}}", STEP_KEPT, reason, 1);
  step_add_counts (step->counts, more);
}

void
pass_over_announce (Step *step, const char *key, const char *what, const char *reason)
{
  const Job *job = step->job;
  if (in_force_outcomes (job->name) == OUTCOMES_NONE)
    return;
  json_t *fields = json_copy (job->failed_constants);
  json_object_set_new (fields, "what", json_string (what));
  json_object_set_new (fields, "key", json_string (key));
  json_object_set_new (fields, "reason", json_string (reason));
  step_outcome (step, job->failed_outcome, key, fields);
}

/* The run of an event waits for KEY, which is in quarantine, by its row I of ROWS. */
static void
wait_for_row (Step *step, const PgRows *rows, int i, const char *key, const char *item)
{
  g_autofree char *why = g_strconcat (ROW_AGAIN_WHY, rows_text (rows, i, "reason"), NULL);
  row_again_note (step, item, why, rows_int (rows, i, "wait_ms"));
  if (!row_again_is (step) && step->job->failed_named)
    pass_over_announce (step, key, "failed", why);
}

/* KEY stays, because it is held, or a row that would go with it. KIND: hold, restored. */
static void
keep_held (Step *step, const char *key, const char *kind, gint64 wait_ms)
{
  g_autofree char *counter = g_strconcat ("kept_", kind, NULL),
                  *why = g_strconcat (ROW_AGAIN_KEPT, kind, NULL),
                  *item = job_item (step->job, key);
  step_count (step, counter, 1);
  if (!is_asked (step))
    return;
  row_again_note (step, item, why, wait_ms);
  pass_over_kept (step, kind);
  if (!row_again_is (step) && step->job->failed_named)
    pass_over_announce (step, key, "kept", kind);
}

/* An event's sender waits for an answer, so a row that an event names is tried although it is in
 * quarantine, unless it is held. From then on the quarantine says when. */
static gboolean
is_passed_over (const Step *step, const PgRows *rows, int i, const GArray *waits)
{
  return g_array_index (waits, gboolean, i)
         && (!is_asked (step) || row_again_is (step) || rows_bool (rows, i, "held"));
}

/* Puts those of KEYS into OVER that stay for now. What is held stands behind what is in quarantine.
 */
static void
find_passed_over (Step *step, const GPtrArray *keys, const PgRows *rows, const GArray *waits,
                  GHashTable *over, GHashTable *known)
{
  guint parked = 0;
  g_autoptr (GHashTable) held = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (rows); i++) {
    char *key = keys->pdata[rows_int (rows, i, "row")];
    if (!rows_bool (rows, i, "held"))
      continue;
    g_hash_table_add (over, key);
    g_hash_table_add (held, key);
    keep_held (step, key, rows_text (rows, i, "reason"), rows_int (rows, i, "wait_ms"));
  }
  for (int i = 0; i < rows_count (rows); i++) {
    char *key = keys->pdata[rows_int (rows, i, "row")];
    if (g_hash_table_contains (held, key))
      continue;
    if (!is_passed_over (step, rows, i, waits)) {
      g_hash_table_add (known, g_strdup (key));
      continue;
    }
    g_hash_table_add (over, key);
    parked++;
    g_autofree char *item = job_item (step->job, key);
    if (is_asked (step))
      wait_for_row (step, rows, i, key, item);
  }
  if (parked > 0)
    step_count (step, "passed_over", parked);
}

gboolean
pass_over (Step *step, GPtrArray *keys, GHashTable *known, GError **error)
{
  if (step->job->table == NULL)
    return TRUE;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) waits = NULL;
  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add (items, job_item (step->job, keys->pdata[i]));
  g_autoptr (PgRows) rows = quarantine_known (step, items, &waits, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) over = g_hash_table_new (g_str_hash, g_str_equal);
  find_passed_over (step, keys, rows, waits, over, known);
  for (guint i = keys->len; i-- > 0;)
    if (g_hash_table_contains (over, keys->pdata[i])) {
      g_hash_table_remove (over, keys->pdata[i]);
      g_ptr_array_remove_index (keys, i);
    }
  return TRUE;
}

void
pass_over_held (Step *step, const char *key, const BisectBad *bad, GHashTable *known)
{
  step_log (
      step, LOG_INFO, "A row stays because of one that is held",
      json_pack ("{s:s, s:s, s:s}", "table", step->job->table, "key", key, "reason", bad->reason));
  keep_held (step, key, bad->sqlstate, ROW_AGAIN_HELD_MS);
  if (!g_hash_table_contains (known, key))
    return;
  g_autofree char *item = job_item (step->job, key);
  step_unquarantine (step, item);
}
