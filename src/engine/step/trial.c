#include "engine/step/trial.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/job/job_rows.h"
#include "engine/step/apply.h"
#include "engine/step/busy.h"
#include "engine/step/decide.h"
#include "engine/step/pace.h"
#include "engine/step/portion.h"
#include "engine/step/held.h"
#include "engine/step/held_below.h"
#include "engine/step/tell.h"
#include "engine/step/weight.h"

#include <string.h>

#define SLOW_TRIES 3

/* What a try is about. */
typedef struct {
  const GPtrArray *keys;
  const Extra *extra;
  GPtrArray *held; /* keys whose rows the lock files must lock (`:held`), because an earlier try
                      did not get them */
  GHashTable *left_out; /* keys that an earlier try has refused after others had changed for them */
  gboolean row_by_row;  /* the files run for each row by itself: an earlier try was unsettled */
} Attempt;

/* --- locks and decision --- */

/* Nothing of a row goes whose own row does not go. */
static void
leave_out (const Job *job, GHashTable *left_out, Trial *trial)
{
  for (int i = 0; g_hash_table_size (left_out) > 0 && i < rows_count (trial->decided); i++) {
    const JobWhat *what = job_what (job, trial->what[i]);
    if (what != NULL && what->apply->len > 0
        && g_hash_table_contains (left_out, rows_text (trial->decided, i, "key")))
      trial->what[i] = "failed";
  }
}

/* Locks and decision go in one pipeline. Each statement sees what was committed while an earlier
 * one waited. */
static gboolean
lock_and_decide (Step *step, const Attempt *attempt, Trial *trial, GError **error)
{
  g_autofree char *key = array_of_texts (attempt->keys), *hold = array_of_texts (attempt->held);
  const Job *job = step_form (step);
  const PgStatement *decide = decide_statement (step, attempt->held->len == 0);
  for (guint i = 0; i < job->locks->len; i++) {
    g_autoptr (PgValues) values = trial_values (step, job->locks->pdata[i], attempt->extra);
    pg_values_set (values, "key", key);
    pg_values_set (values, "held", hold);
    if (!pg_queue (step->pg, job->locks->pdata[i], values, error))
      return FALSE;
  }
  g_autoptr (PgValues) values = decide_values (step, decide, key, "{}", attempt->extra);
  if (!pg_queue (step->pg, decide, values, error) || !pg_flush (step->pg, error))
    return FALSE;
  for (guint i = 0; i < job->locks->len; i++) {
    g_autoptr (PgRows) locked = pg_next (step->pg, error);
    if (locked == NULL)
      return FALSE;
  }
  trial->decided = pg_next (step->pg, error);
  if (trial->decided == NULL || !pg_finish (step->pg, error)
      || !decide_is_whole (step, decide, attempt->keys, trial->decided, error))
    return FALSE;
  int n = rows_count (trial->decided);
  trial->what = g_new0 (const char *, n + 1);
  for (int i = 0; i < n; i++)
    trial->what[i] = rows_text (trial->decided, i, "what");
  leave_out (job, attempt->left_out, trial);
  return TRUE;
}

/* --- tries --- */

/* FALSE with PRUNED_DATA: a trigger has kept rows of other tables as they were, so the keys of
 * TRIAL are at fault. PostgreSQL refuses none of these: only the job knows that they should have
 * changed.
 */
static gboolean
remains_none (Step *step, const Trial *trial, const Extra *extra, GError **error)
{
  const PgStatement *statement = step_form (step)->remains;
  if (statement == NULL)
    return TRUE;
  g_autoptr (GArray) which = trial_rows (trial, NULL);
  g_autoptr (PgValues) values = trial_values_of (step, statement, trial, which, extra);
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, error);
  if (rows == NULL || !job_rows_have (statement, rows, "reason", error))
    return FALSE;
  return rows_count (rows) == 0
         || step_fail (step, error, PRUNED_DATA, "%s", rows_text (rows, 0, "reason"));
}

static gboolean
lock_and_apply (Step *step, const Attempt *attempt, Trial *trial, GError **error)
{
  const Job *job = step_form (step);
  trial->refused = g_ptr_array_new_with_free_func (g_free);
  trial->below = trial->own_below = 0;
  weight_begin_try (step);
  trial->stuck = trial->unsettled = FALSE;
  effects_init (&trial->effects, job);
  if (!lock_and_decide (step, attempt, trial, error) || !held_below_none (step, trial, error))
    return FALSE;
  for (guint i = 0; i < job->whats->len && !trial->torn && !trial->unsettled; i++)
    if (!apply_word (step, job->whats->pdata[i], trial, attempt->extra, attempt->row_by_row, error))
      return FALSE;
  if (trial->torn || trial->unsettled)
    return TRUE;
  if (!portion_moves (step, trial, error) || !remains_none (step, trial, attempt->extra, error))
    return FALSE;
  FAULT ("step.after_effects");
  if (job->children != NULL) {
    g_autoptr (GArray) which = trial_rows (trial, NULL);
    g_autoptr (PgValues) values
        = trial_values_of (step, job->children, trial, which, attempt->extra);
    if ((trial->children = pg_run (step->pg, job->children, values, error)) == NULL)
      return FALSE;
  }
  return effects_end (step, &trial->effects, error) && held_stay (step, error);
}

/* What a job in C does below its rows is told to the try. */
static gboolean
try_once (Step *step, const Attempt *attempt, Trial *trial, GError **error)
{
  Beside *outer = step->told_to;
  step->told_to = &trial->effects.beside;
  const gboolean ok = lock_and_apply (step, attempt, trial, error);
  step->told_to = outer;
  return ok;
}

/* Adds the keys that were not returned to those held; on a second failure all keys. FALSE: they
 * were all held already. */
static gboolean
hold_more (const Attempt *attempt, const Trial *trial)
{
  GPtrArray *held = attempt->held;
  const GPtrArray *more = held->len == 0 ? trial->refused : attempt->keys;
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

/* What the next try does otherwise. FALSE: this one stands. A row that is not returned may have
 * changed after the decision, so it is locked next time. If it was locked and is still not
 * returned, it is refused; where rows of it went before, they come back. Rows whose trigger changes
 * settings go one by one, since those behind the first were asked under other settings. */
static gboolean
is_to_repeat (Step *step, Attempt *attempt, const Trial *trial)
{
  if (trial->unsettled) {
    step_log (
        step, LOG_WARNING, "A trigger sets what decisions depend on, so rows go one by one",
        json_pack ("{s:s?, s:s}", "table", step->job->table, "settings", pg_unsettled (step->pg)));
    attempt->row_by_row = TRUE;
    return TRUE;
  }
  if (hold_more (attempt, trial))
    return TRUE;
  if (trial->torn && trial->effects.stirred)
    step_log (step, LOG_WARNING,
              "A trigger may change rows that it keeps from being deleted; they stay as they are",
              json_pack ("{s:s, s:I}", "table", step->job->table, "rows",
                         (json_int_t)trial->refused->len));
  for (guint i = 0; trial->torn && i < trial->refused->len; i++)
    g_hash_table_add (attempt->left_out, g_strdup (trial->refused->pdata[i]));
  return trial->torn;
}

/* A try that does not stand is rolled back, and the page is tried again from its locks on. In a
 * shared transaction there is one try, and no savepoint: hundreds of them would slow down all
 * sessions. */
static gboolean
try_until_it_stands (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial,
                     GError **error)
{
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) left_out = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Attempt attempt = { keys, extra, held, left_out, FALSE };
  for (;;) {
    if (!try_once (step, &attempt, trial, error))
      return FALSE;
    if (!is_to_repeat (step, &attempt, trial))
      return TRUE;
    if (step->shared)
      return step_fail (step, error, PRUNED_BUSY, "a row was not changed; tried again alone");
    tell_nothing (step, trial);
    trial_clear (trial);
    if (!pg_exec (step->pg, "ROLLBACK TO page", error))
      return FALSE;
  }
}

/* A row that takes too long even alone is at fault after SLOW_TRIES time-outs. One that another
 * session holds is left out like a row at fault (busy.h). */
static gboolean
is_at_fault (const Step *step, const GPtrArray *keys, const GError *cause)
{
  if (cause->code == PRUNED_DATA || busy_is (step, cause))
    return TRUE;
  return pace_is_too_slow (step, cause) && keys->len == 1
         && step->run->progress.timeouts >= SLOW_TRIES - 1;
}

/* What could help a row that takes too long is said with the reason. */
static char *
reason_of (const Step *step, const GError *cause)
{
  const Job *job = step_form (step);
  if (!job->portions || job->large != NULL || !pace_is_too_slow (step, cause))
    return g_strdup (cause->message);
  return g_strdup_printf ("%s; with children_portion in [retention %s] rows below it go in "
                          "portions, before it",
                          cause->message, job->name);
}

gboolean
trial_run (Step *step, const GPtrArray *keys, const Extra *extra, gboolean keep, Trial *trial,
           char **reason, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (!held_begin (step, error))
    return FALSE;
  if (step->shared) {
    gboolean went = try_until_it_stands (step, keys, extra, trial, error);
    if (!went) {
      tell_nothing (step, trial);
      trial_clear (trial);
    }
    return went;
  }
  if (!busy_hurry (step, error) || !pg_exec_later (step->pg, "SAVEPOINT page", error))
    return FALSE;
  gboolean ok = try_until_it_stands (step, keys, extra, trial, &cause);
  if (!ok || !keep)
    tell_nothing (step, trial);
  if (!ok && !is_at_fault (step, keys, cause)) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  if (!ok) {
    *reason = reason_of (step, cause);
    if (step->bisect != NULL && cause->code == PRUNED_BUSY)
      step->bisect->locked = TRUE;
  }
  if ((!(ok && keep) && !pg_exec (step->pg, "ROLLBACK TO page", error))
      || !pg_exec_later (step->pg, "RELEASE page", error))
    return FALSE;
  if (!ok || !keep)
    trial_clear (trial);
  return ok;
}
