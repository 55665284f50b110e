#include "engine/step/trial.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/job/job_rows.h"
#include "engine/step/pace.h"

#include <string.h>

#define SQL "src/engine/step/sql/"
#define SLOW_TRIES 3

void
trial_clear (Trial *trial)
{
  g_clear_pointer (&trial->decided, rows_free);
  g_clear_pointer (&trial->children, rows_free);
  g_clear_pointer (&trial->what, g_free);
  g_clear_pointer (&trial->refused, g_ptr_array_unref);
}

PgValues *
trial_values (Step *step, const PgStatement *statement, const Extra *extra)
{
  PgValues *values = pg_values_new ();
  step_bind (step, statement, values);
  for (guint i = 0; extra != NULL && i < extra->names->len; i++)
    pg_values_set (values, extra->names->pdata[i], extra->texts->pdata[i]);
  return values;
}

/* Columns of decide that STATEMENT wants, as arrays of the rows in WHICH. */
static PgValues *
values_of_rows (Step *step, const PgStatement *statement, const Trial *trial, const GArray *which,
                const Extra *extra)
{
  PgValues *values = trial_values (step, statement, extra);
  const int *rows = (const int *)(gpointer)which->data;
  for (int column = 0; column < rows_columns (trial->decided); column++) {
    const char *name = rows_name (trial->decided, column);
    if (pg_statement_wants (statement, name) && !g_str_equal (name, "what"))
      pg_values_take (values, name, rows_array_of (trial->decided, column, rows, which->len));
  }
  if (pg_statement_wants (statement, "what")) {
    GString *what = array_new ();
    for (guint i = 0; i < which->len; i++)
      array_add (what, trial->what[rows[i]]);
    pg_values_take (values, "what", array_take (what));
  }
  return values;
}

static const PgStatement *
decide_statement (const Job *job)
{
  return job->decide != NULL ? job->decide : pg_statement (SQL "decide_all.sql");
}

static PgValues *
decide_values (Step *step, const char *keys, const char *gone, const Extra *extra)
{
  PgValues *values = trial_values (step, decide_statement (step->job), extra);
  pg_values_set (values, "key", keys);
  pg_values_set (values, "gone", gone);
  return values;
}

static gboolean
is_decision (const Job *job, const PgRows *rows, GError **error)
{
  return job_rows_are_whole (decide_statement (job), rows, "key what", error);
}

PgRows *
trial_decide_planned (Step *step, const char *keys, const char *gone, GError **error)
{
  g_autoptr (PgValues) values = decide_values (step, keys, gone, NULL);
  g_autoptr (PgRows) rows = pg_run (step->pg, decide_statement (step->job), values, error);
  return rows != NULL && is_decision (step->job, rows, error) ? g_steal_pointer (&rows) : NULL;
}

PgRows *
trial_decide (Step *step, const GPtrArray *keys, const Extra *extra, GError **error)
{
  g_autofree char *key = array_of_texts (keys);
  g_autoptr (PgValues) values = decide_values (step, key, "{}", extra);
  g_autoptr (PgRows) rows = pg_run (step->pg, decide_statement (step->job), values, error);
  return rows != NULL && is_decision (step->job, rows, error) ? g_steal_pointer (&rows) : NULL;
}

/* Locks and decision go in one pipeline. Each statement sees what was committed while an earlier
 * one waited. */
static gboolean
lock_and_decide (Step *step, const GPtrArray *keys, const GPtrArray *held, const Extra *extra,
                 Trial *trial, GError **error)
{
  g_autofree char *key = array_of_texts (keys), *hold = array_of_texts (held);
  const Job *job = step->job;
  for (guint i = 0; i < job->locks->len; i++) {
    g_autoptr (PgValues) values = trial_values (step, job->locks->pdata[i], extra);
    pg_values_set (values, "key", key);
    pg_values_set (values, "held", hold);
    if (!pg_queue (step->pg, job->locks->pdata[i], values, error))
      return FALSE;
  }
  g_autoptr (PgValues) values = decide_values (step, key, "{}", extra);
  if (!pg_queue (step->pg, decide_statement (job), values, error) || !pg_flush (step->pg, error))
    return FALSE;
  for (guint i = 0; i < job->locks->len; i++) {
    g_autoptr (PgRows) locked = pg_next (step->pg, error);
    if (locked == NULL)
      return FALSE;
  }
  trial->decided = pg_next (step->pg, error);
  if (trial->decided == NULL || !pg_finish (step->pg, error)
      || !is_decision (job, trial->decided, error))
    return FALSE;
  int n = rows_count (trial->decided);
  trial->what = g_new0 (const char *, n + 1);
  for (int i = 0; i < n; i++)
    trial->what[i] = rows_text (trial->decided, i, "what");
  return TRUE;
}

GArray *
trial_rows (const Trial *trial, const char *word)
{
  GArray *which = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (word == NULL ? !g_str_equal (trial->what[i], "failed") : g_str_equal (trial->what[i], word))
      g_array_append_val (which, i);
  return which;
}

/* Rows that the statement on the job's own table did not return are refused. WHICH keeps the
 * others. */
static void
drop_refused (Trial *trial, GArray *which, const PgRows *returned)
{
  g_autoptr (GHashTable) changed = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (returned); i++)
    g_hash_table_add (changed, (gpointer)rows_text (returned, i, "key"));
  guint kept = 0;
  for (guint i = 0; i < which->len; i++) {
    int row = g_array_index (which, int, i);
    if (g_hash_table_contains (changed, rows_text (trial->decided, row, "key")))
      g_array_index (which, int, kept++) = row;
    else {
      trial->what[row] = "failed";
      g_ptr_array_add (trial->refused, g_strdup (rows_text (trial->decided, row, "key")));
    }
  }
  g_array_set_size (which, kept);
}

static gboolean
queue_rows (Step *step, const PgStatement *statement, const Trial *trial, const GArray *which,
            const Extra *extra, GError **error)
{
  g_autoptr (PgValues) values = values_of_rows (step, statement, trial, which, extra);
  return pg_queue (step->pg, statement, values, error);
}

/* The statement on the job's own table comes first. The others follow in one pipeline, for the rows
 * that it returned. */
static gboolean
apply_what (Step *step, const JobWhat *what, Trial *trial, const Extra *extra, GError **error)
{
  g_autoptr (GArray) which = trial_rows (trial, what->word);
  if (which->len == 0 || what->apply->len == 0)
    return TRUE;
  const JobApply *first = &g_array_index (what->apply, JobApply, 0);
  g_autoptr (PgValues) values = values_of_rows (step, first->statement, trial, which, extra);
  g_autoptr (PgRows) returned = pg_run (step->pg, first->statement, values, error);
  if (returned == NULL || !job_rows_are_whole (first->statement, returned, "key", error))
    return FALSE;
  drop_refused (trial, which, returned);
  if (which->len == 0 || what->apply->len == 1)
    return TRUE;
  for (guint i = 1; i < what->apply->len; i++)
    if (!queue_rows (step, g_array_index (what->apply, JobApply, i).statement, trial, which, extra,
                     error))
      return FALSE;
  return pg_flush (step->pg, error) && pg_finish (step->pg, error);
}

PgRows *
trial_children_planned (Step *step, PgRows *decided, GError **error)
{
  int n = rows_count (decided);
  g_autofree const char **what = g_new0 (const char *, n + 1);
  g_autoptr (GArray) which = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < n; i++) {
    what[i] = rows_text (decided, i, "what");
    g_array_append_val (which, i);
  }
  const Trial trial = { .decided = decided, .what = what };
  g_autoptr (PgValues) values = values_of_rows (step, step->job->children, &trial, which, NULL);
  return pg_run (step->pg, step->job->children, values, error);
}

/* HELD: keys whose rows the lock files must lock (`:held`), because an earlier try did not get
 * them. */
static gboolean
try_once (Step *step, const GPtrArray *keys, const GPtrArray *held, const Extra *extra,
          Trial *trial, GError **error)
{
  const Job *job = step->job;
  trial->refused = g_ptr_array_new_with_free_func (g_free);
  if (!lock_and_decide (step, keys, held, extra, trial, error))
    return FALSE;
  for (guint i = 0; i < job->whats->len; i++)
    if (!apply_what (step, job->whats->pdata[i], trial, extra, error))
      return FALSE;
  FAULT ("step.after_effects");
  if (job->children != NULL) {
    g_autoptr (GArray) which = trial_rows (trial, NULL);
    g_autoptr (PgValues) values = values_of_rows (step, job->children, trial, which, extra);
    if ((trial->children = pg_run (step->pg, job->children, values, error)) == NULL)
      return FALSE;
  }
  return pg_exec (step->pg, "SET CONSTRAINTS ALL IMMEDIATE", error);
}

/* Adds the keys that were not returned to HELD; on a second failure all keys. FALSE: they were all
 * held already. */
static gboolean
hold_more (GPtrArray *held, const GPtrArray *keys, const Trial *trial)
{
  const GPtrArray *more = held->len == 0 ? trial->refused : keys;
  gboolean known = TRUE;
  for (guint i = 0; i < trial->refused->len; i++)
    known &= g_ptr_array_find_with_equal_func (held, trial->refused->pdata[i], g_str_equal, NULL);
  if (known)
    return FALSE;
  g_ptr_array_set_size (held, 0);
  for (guint i = 0; i < more->len; i++)
    g_ptr_array_add (held, g_strdup (more->pdata[i]));
  return TRUE;
}

/* A row that is not returned may have changed after the decision. The page is tried again from its
 * locks on, with that row locked. A row that was locked and is still not returned is refused. */
static gboolean
try_until_it_stands (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial,
                     GError **error)
{
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func (g_free);
  for (;;) {
    if (!try_once (step, keys, held, extra, trial, error))
      return FALSE;
    if (!hold_more (held, keys, trial))
      return TRUE;
    trial_clear (trial);
    if (!pg_exec (step->pg, "ROLLBACK TO page", error))
      return FALSE;
  }
}

/* A row that takes too long even alone is at fault after SLOW_TRIES time-outs. */
static gboolean
is_at_fault (const Step *step, const GPtrArray *keys, const GError *cause)
{
  if (cause->code == PRUNED_DATA)
    return TRUE;
  gint64 timeouts = json_integer_value (json_object_get (step->run->cursor, TRIAL_TIMEOUTS));
  return pace_is_too_slow (step, cause) && keys->len == 1 && timeouts >= SLOW_TRIES - 1;
}

gboolean
trial_run (Step *step, const GPtrArray *keys, const Extra *extra, gboolean keep, Trial *trial,
           char **reason, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (!pg_exec (step->pg, "SAVEPOINT page", error))
    return FALSE;
  gboolean ok = try_until_it_stands (step, keys, extra, trial, &cause);
  if (!ok && !is_at_fault (step, keys, cause)) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  if (!ok)
    *reason = g_strdup (cause->message);
  if (!pg_exec (step->pg, ok && keep ? "RELEASE page" : "ROLLBACK TO page", error))
    return FALSE;
  if (!ok || !keep)
    trial_clear (trial);
  return ok;
}
