#include "engine/step/apply.h"

#include "engine/job/job_rows.h"
#include "engine/step/read_back.h"
#include "engine/step/tell.h"
#include "engine/step/weight.h"

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
    if (*last == NULL || !weight_take (step, *last, error) || !read_back_take (step, *last, error)
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
  if (!job_rows_are_whole (file->statement, returned, "key", error)
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

gboolean
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
