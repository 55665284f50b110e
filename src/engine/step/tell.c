#include "engine/step/tell.h"

#include "engine/job/in_force.h"
#include "engine/outbox/remember.h"

/* Whether rows of WHAT are told now. RowProcessed is told of a row that an event has named, unless
 * no row is told; where all are, of other rows that change later (tell_rows.h). */
static gboolean
is_told (const Step *step, const JobWhat *what)
{
  if (g_strcmp0 (what->outcome, JOB_ROW_OUTCOME) != 0)
    return what->outcome != NULL;
  const JobOutcomes rows = in_force_outcomes (step->job->name);
  if (rows == OUTCOMES_NONE || job_is_asked (step->job, step->run->args))
    return rows != OUTCOMES_NONE;
  return !what->only_named && !(rows == OUTCOMES_ALL && what->apply->len > 0);
}

static void
tell (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  const gboolean told = is_told (step, what);
  for (guint i = 0; told && i < which->len; i++)
    step_outcome_row (step, what->outcome, trial->decided, g_array_index (which, int, i),
                      what->entity, what->constants);
  if (!told || !job_is_asked (step->job, step->run->args))
    return;
  if (step->answered == NULL)
    step->answered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < which->len; i++)
    g_hash_table_add (
        step->answered,
        g_strdup (rows_text (trial->decided, g_array_index (which, int, i), what->entity)));
}

void
tell_ahead (Step *step, const JobWhat *what, Trial *trial, const GArray *which)
{
  /* One that stands for others: each has its own outcomes. One without a bundle only tries. */
  if (step->many || step->bundle == NULL)
    return;
  if (trial->told == NULL) {
    trial->told = g_ptr_array_new ();
    trial->untold = bundle_mark (step->bundle);
  }
  g_ptr_array_add (trial->told, what->word);
  tell (step, what, trial, which);
}

void
tell_nothing (Step *step, Trial *trial)
{
  if (trial->told != NULL)
    bundle_cut (step->bundle, trial->untold);
  g_clear_pointer (&trial->told, g_ptr_array_unref);
}

void
tell_rest (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  if (trial->told == NULL
      || !g_ptr_array_find_with_equal_func (trial->told, what->word, g_str_equal, NULL))
    tell (step, what, trial, which);
}

/* The database's clock, as of now: behind the time when the row was made, and before the commit,
 * after which its key can be used anew. */
static gint64
erased_at_us (const Step *step)
{
  return step->run->now_us + step_elapsed_us (step);
}

void
tell_erased (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  const Job *job = step->job;
  const Sentence *sentence = job->sentence;
  if (sentence == NULL || sentence->remember_days == 0 || !what->counts_as_updated
      || step->bundle == NULL)
    return;
  RememberRow row = { .prefix = step->prefix,
                      .job = job->name,
                      .table = sentence->table,
                      .what = what->word,
                      .run_id = run_known_id (step->run),
                      .t = step->t,
                      .step = step->run->step,
                      .erased_us = erased_at_us (step),
                      .days = sentence->remember_days };
  for (guint i = 0; i < which->len; i++) {
    row.key = rows_text (trial->decided, g_array_index (which, int, i), "key");
    remember_add (step->bundle, &row);
  }
}
