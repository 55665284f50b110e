/* A try of a page: what it locks, decides, changes and checks.
 *
 * The apply files of one word, for the rows of a try that were decided so. The files up to the one
 * on the job's own table go in one pipeline. It says which rows went: those that it does not return
 * are refused. The others follow in another pipeline, for the rows that it returned. The files
 * before it may take rows of other tables first, as foreign keys want it; a try in which a row was
 * refused after that is torn, and cannot stand. So is one in which a trigger may have changed a row
 * that it kept (a soft delete): nothing has recorded that. One is unsettled, and cannot stand
 * either, if a trigger has changed what decisions depend on: the rows behind the first were asked
 * under other settings.
 *
 * Length: a reader follows a try from its locks to what stands at its end.
 */
#include "engine/step/trial.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/step/guard.h"
#include "engine/step/busy.h"
#include "engine/step/decide.h"
#include "engine/step/held.h"
#include "engine/step/held_below.h"
#include "engine/step/pace.h"
#include "engine/step/portion.h"
#include "engine/step/read_back.h"
#include "engine/step/tell.h"

#include <string.h>

#define SLOW_TRIES 3

/* --- the files of a word --- */

/* Rows that the statement on the job's own table did not return are refused. WHICH keeps the
 * others. */
static void
drop_refused (Trial *trial, GArray *which, const PgRows *returned)
{
  if (effects_are_all (returned, trial->decided, which))
    return;
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
queue_rows (Step *step, const JobApply *file, const Trial *trial, const GArray *which,
            const Extra *extra, GError **error)
{
  const PgStatement *statement = read_back_statement (
      step, step->many && file->owned != NULL ? file->owned : file->statement);
  g_autoptr (PgValues) values = trial_values_of (step, statement, trial, which, extra);
  return pg_queue (step->pg, statement, values, error);
}

/* N rows below, or one with the key OWNER. Where the steps are of several runs, each row has one.
 */
static void
note_below (const Step *step, const JobApply *file, Trial *trial, const char *owner, gint64 n)
{
  const gboolean deletes = file->kind == APPLY_DELETE,
                 own = deletes && g_strcmp0 (file->table, step->job->table) == 0;
  const char *what = deletes ? STEP_DELETED : STEP_CHANGED;
  if (owner != NULL)
    trial_note_below (trial, owner, file->table, what, own, n);
  else if (own)
    trial->own_below += n;
  else {
    trial->below += n;
    step_add_other (trial->effects.beside.counts, file->table, what, n);
  }
}

/* Of ROWS those that are really changed, and are none of the rows WHICH, which go themselves. */
static void
note_changed (const Step *step, const JobApply *file, const PgRows *rows, const GArray *which,
              Trial *trial)
{
  const gboolean own = g_strcmp0 (file->table, step->job->table) == 0;
  const int owner = step->many ? rows_column (rows, "owner") : -1;
  g_autoptr (GHashTable) going = g_hash_table_new (g_str_hash, g_str_equal);
  gint64 n = 0;
  for (guint i = 0; own && i < which->len; i++)
    g_hash_table_add (going,
                      (gpointer)rows_text (trial->decided, g_array_index (which, int, i), "key"));
  for (int i = 0; i < rows_count (rows); i++) {
    const char *key = rows_text (rows, i, "key");
    trial->stuck |= key == NULL;
    if (key == NULL || g_hash_table_contains (going, key))
      continue;
    n++;
    if (owner >= 0)
      note_below (step, file, trial, rows_at (rows, i, owner), 1);
  }
  if (owner < 0)
    note_below (step, file, trial, NULL, n);
}

/* FILE, not the one on the rows that it names, has returned ROWS. What a folder does in its own
 * table is done to its own rows. */
static void
count_below (const Step *step, const JobApply *file, const PgRows *rows, const GArray *which,
             Trial *trial)
{
  const Job *job = step->job;
  const gboolean own = g_strcmp0 (file->table, job->table) == 0;
  const int owner = step->many ? rows_column (rows, "owner") : -1;
  if (job->built_in || file->kind == APPLY_INSERT || file->of_going
      || (own && job->sentence == NULL))
    return;
  if (file->kind == APPLY_UPDATE && job->sentence != NULL)
    note_changed (step, file, rows, which, trial);
  else if (owner < 0)
    note_below (step, file, trial, NULL, rows_count (rows));
  else
    for (int i = 0; i < rows_count (rows); i++)
      note_below (step, file, trial, rows_at (rows, i, owner), 1);
}

/* The answers of the files FROM to TO. *LAST gets the rows of the last one. */
static gboolean
take_files (Step *step, const JobWhat *what, guint from, guint to, Trial *trial,
            const GArray *which, PgRows **last, GError **error)
{
  const JobApply *files = &g_array_index (what->apply, JobApply, 0);
  guint own = job_own_file (step_form (step), what);
  if (!effects_take_first (step, &trial->effects, error))
    return FALSE;
  for (guint i = from; i < to; i++) {
    g_clear_pointer (last, rows_free);
    *last = pg_next (step->pg, error);
    if (*last == NULL || !pace_weight_take (step, *last, error)
        || !read_back_take (step, *last, error)
        || !effects_take (step, &trial->effects, &files[i], *last, i == own, error))
      return FALSE;
    if (i != own)
      count_below (step, &files[i], *last, which, trial);
    if (step->applied != NULL)
      step->applied (files[i].statement, rows_count (*last), step->applied_data);
  }
  return TRUE;
}

/* Runs these files in one pipeline. */
static gboolean
run_files (Step *step, const JobWhat *what, guint from, guint to, Trial *trial, const GArray *which,
           const Extra *extra, PgRows **last, GError **error)
{
  const JobApply *files = &g_array_index (what->apply, JobApply, 0);
  gboolean changed = from > job_own_file (step_form (step), what);
  if (!effects_queue_first (step, &trial->effects, error))
    return FALSE;
  for (guint i = from; i < to; i++)
    if (!queue_rows (step, &files[i], trial, which, extra, error)
        || !effects_queue (step, &trial->effects, &files[i], error))
      return FALSE;
  if (!pg_flush (step->pg, error))
    return FALSE;
  if (changed) /* PostgreSQL works meanwhile */
    tell_ahead (step, what, trial, which);
  if (take_files (step, what, from, to, trial, which, last, error))
    return pg_finish (step->pg, error) && effects_settle (step, &trial->effects, error);
  g_autoptr (GError) second = NULL; /* the first one is told */
  if ((step->blocked || step->too_wide) && !pg_finish (step->pg, &second))
    pg_close (step->pg);
  return FALSE;
}

/* FILE has returned N of DECIDED rows, and triggers have changed settings. A trigger of the
 * statement may have done so before the first row was asked, or its new values were made. */
static gboolean
holds_as_decided (Step *step, const JobApply *file, guint n, guint decided, GError **error)
{
  const char *settings = pg_unsettled (step->pg);
  gboolean stands = file->kind == APPLY_DELETE && step_form (step)->decide != NULL && n == decided;
  if (settings == NULL || stands)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", file->table);
  g_autoptr (PgRows) rows
      = pg_run_file (step->pg, "src/engine/step/sql/effects_before.sql", values, error);
  if (rows == NULL || !rows_bool (rows, 0, "before"))
    return rows != NULL;
  return guard_block (
      step, file->statement, error,
      "decides or writes under settings that a trigger of %s sets before it (%s): "
      "give them to the trigger's function (ALTER FUNCTION ... SET), where they end "
      "with it",
      file->table, settings);
}

void
step_count_beside (Step *step, const char *table, gboolean deleted, gint64 n)
{
  step_add_other (step->beside != NULL ? step->beside : step->counts, table,
                  deleted ? STEP_DELETED : STEP_CHANGED, n);
  if (step->beside == NULL)
    step_add_rows (step, 0, n, 0);
}

/* What changes with the rows below is counted with them. */
static gboolean
count_from_here (Step *step, Effects *effects, GError **error)
{
  return beside_look (step, &effects->beside, effects->tables, error)
         && (effects->beside.before != NULL || beside_read (step, &effects->beside, error));
}

/* Rows of other tables that foreign keys would delete or change with those WHICH (of int) of TRIAL:
 * a job in C can see to them first (JobBelowFunc), and they are counted. *CHANGED: there was
 * something. */
static gboolean
below_goes_first (Step *step, Trial *trial, const GArray *which, gboolean *changed, GError **error)
{
  *changed = FALSE;
  if (step->job->code == NULL || step->job->code->below == NULL)
    return TRUE;
  if (!count_from_here (step, &trial->effects, error))
    return FALSE;
  g_autoptr (json_t) gone = step->beside = json_object ();
  g_autofree char *keys = rows_array_of (trial->decided, rows_column (trial->decided, "key"),
                                         (const int *)(const void *)which->data, which->len);
  const gboolean ok = step->job->code->below (step, keys, error);
  step->beside = NULL;
  *changed = json_object_size (gone) > 0;
  trial->effects.beside.changed += json_integer_value (json_object_get (gone, STEP_OTHERS));
  step_add_counts (trial->effects.beside.counts, gone);
  return ok;
}

/* For the rows WHICH, which get fewer by those that are refused. */
static gboolean
apply_rows (Step *step, const JobWhat *what, Trial *trial, GArray *which, const Extra *extra,
            GError **error)
{
  guint own = job_own_file (step_form (step), what), decided = which->len;
  const JobApply *file = &g_array_index (what->apply, JobApply, own);
  g_autoptr (PgRows) returned = NULL, others = NULL;
  gboolean below;
  pg_forget_unsettled (step->pg);
  if (!below_goes_first (step, trial, which, &below, error)
      || !run_files (step, what, 0, own + 1, trial, which, extra, &returned, error))
    return FALSE;
  if (!holds_as_decided (step, file, (guint)rows_count (returned), decided, error))
    return FALSE;
  trial->unsettled = decided > 1 && pg_unsettled (step->pg) != NULL;
  if (trial->unsettled)
    return TRUE;
  if (!guard_whole (file->statement, returned, "key", error)
      || !effects_are_decided (step, file, returned, trial->decided, which, error))
    return FALSE;
  drop_refused (trial, which, returned);
  trial->torn = (own > 0 || below || trial->effects.stirred) && which->len < decided;
  if (trial->torn || which->len == 0 || own + 1 == what->apply->len)
    return TRUE;
  if (!run_files (step, what, own + 1, what->apply->len, trial, which, extra, &others, error))
    return FALSE;
  trial->unsettled = decided > 1 && pg_unsettled (step->pg) != NULL;
  return TRUE;
}

/* The files of WHAT, for the rows of TRIAL that were decided so. ROW_BY_ROW: they run for each row
 * by itself. */
static gboolean
apply_word (Step *step, const JobWhat *what, Trial *trial, const Extra *extra, gboolean row_by_row,
            GError **error)
{
  g_autoptr (GArray) which = trial_rows (trial, what->word);
  if (which->len == 0 || what->apply->len == 0)
    return TRUE;
  if (!row_by_row)
    return apply_rows (step, what, trial, which, extra, error);
  for (guint i = 0; i < which->len && !trial->torn; i++) {
    g_autoptr (GArray) one = g_array_new (FALSE, FALSE, sizeof (int));
    g_array_append_val (one, g_array_index (which, int, i));
    if (!apply_rows (step, what, trial, one, extra, error))
      return FALSE;
  }
  return TRUE;
}

/* --- a try --- */

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
  if (rows == NULL || !guard_columns (statement, rows, "reason", error))
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
  pace_weight_begin_try (step);
  trial->stuck = trial->unsettled = FALSE;
  effects_init (&trial->effects, job);
  if (!lock_and_decide (step, attempt, trial, error)
      || (step->run->holds && !held_below_none (step, trial, error)))
    return FALSE;
  for (guint i = 0; i < job->whats->len && !trial->torn && !trial->unsettled; i++)
    if (!apply_word (step, job->whats->pdata[i], trial, attempt->extra, attempt->row_by_row, error))
      return FALSE;
  if (trial->torn || trial->unsettled)
    return TRUE;
  if ((step->portion && !portion_moves (step, trial, error))
      || !remains_none (step, trial, attempt->extra, error))
    return FALSE;
  FAULT ("step.after_effects");
  if (job->children != NULL) {
    g_autoptr (GArray) which = trial_rows (trial, NULL);
    g_autoptr (PgValues) values
        = trial_values_of (step, job->children, trial, which, attempt->extra);
    if ((trial->children = pg_run (step->pg, job->children, values, error)) == NULL)
      return FALSE;
  }
  return effects_end (step, &trial->effects, error)
         && (!step->run->holds || held_stay (step, error));
}

/* What a job in C does below its rows is told to the try. */
static gboolean
try_once (Step *step, const Attempt *attempt, Trial *trial, GError **error)
{
  Beside *outer = step_tell_to (step, &trial->effects.beside);
  const gboolean ok = lock_and_apply (step, attempt, trial, error);
  (void)step_tell_to (step, outer);
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
  if (!job->portions || step->finds & FINDS_IN_PORTIONS || !pace_is_too_slow (step, cause))
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
  if (step->run->holds && !held_begin (step, error))
    return FALSE;
  if (step->shared) {
    gboolean went = try_until_it_stands (step, keys, extra, trial, error);
    if (!went) {
      tell_nothing (step, trial);
      trial_clear (trial);
    }
    return went;
  }
  if ((step->bisect != NULL && step->bisect->locked && !busy_hurry (step, error))
      || !pg_exec_later (step->pg, "SAVEPOINT page", error))
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
