#include "engine/brakes/whole.h"

#include "engine/brakes/count.h"
#include "engine/brakes/event_limits.h"
#include "engine/job/in_force.h"

gboolean
whole_is_of_day (const Step *step)
{
  return step->job->large != NULL && in_force_approve (step->job) != APPROVE_NEVER
         && !run_is_approved (step->run);
}

gboolean
whole_counts_first (const Step *step, gboolean first)
{
  const gboolean changes = step->rows + step->children->len > 0;
  if (!step->continues || step->run->rows_counted >= 0 || step->finds & FINDS_BESIDE)
    return FALSE;
  return (changes && event_limits_are_of (step))
         || (first && (step->job->takes_own || whole_is_of_day (step)));
}

/* A run that has changed ROWS, OWN of them of the job's table, has taken what was counted: its own
 * row goes last. */
static void
add_counted (const Run *run, gint64 *rows, gint64 *own)
{
  if (*rows == 0 || *rows >= run->rows_counted)
    return;
  *rows = run->rows_counted;
  *own = MAX (*own, 1);
}

void
whole_taken (const Step *step, gint64 *rows, gint64 *own)
{
  const Run *run = step->run;
  const gint64 more = step->rows + step->children->len;
  gint64 rows_before = run->rows_done, own_before = count_own_rows (run->result);
  *rows = rows_before + more;
  *own = own_before + more - step->below;
  add_counted (run, &rows_before, &own_before);
  add_counted (run, rows, own);
  *rows -= rows_before;
  *own = MAX (0, *own - own_before);
}
