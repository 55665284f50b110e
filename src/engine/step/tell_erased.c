#include "engine/step/tell_erased.h"

#include "engine/outbox/remember.h"

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
