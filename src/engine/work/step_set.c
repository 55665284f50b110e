#include "engine/work/step_set.h"

#include "engine/step/step.h"

void
step_set_init (StepSet *set, Service *service, Pg *pg, const Job *job)
{
  *set = (StepSet){ .service = service,
                    .pg = pg,
                    .bundle = bundle_new ("", 0, job->name, 0), /* step_set_commit names it */
                    .steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free),
                    .next = g_ptr_array_new_with_free_func ((GDestroyNotify)step_next_run_free) };
}

void
step_set_clear (StepSet *set)
{
  g_clear_pointer (&set->bundle, bundle_free);
  g_clear_pointer (&set->steps, g_ptr_array_unref); /* before the runs */
  g_clear_pointer (&set->next, g_ptr_array_unref);
  g_clear_pointer (&set->pages, found_pages_free);
  claim_clear (&set->claim);
  day_allowance_clear (&set->allowance);
}

Step *
step_set_make (const StepSet *set, const Lane *lane, Run *run, Step *before, gboolean shared)
{
  Step *step = step_new (set->pg, run, set->service->prefix, lane->worker.bisect, set->bundle);
  step->replica = lane->worker.replica;
  step->pages = set->pages;
  step->before = before;
  step->shared = shared;
  find_decide (step);
  return step;
}

gboolean
step_set_commit (StepSet *set, GError **error)
{
  const Step *first = set->steps->len > 0 ? set->steps->pdata[0] : NULL;
  if (first != NULL) /* the commit takes the run past this step, so the name is not used again */
    bundle_name (set->bundle, first->run->run_id, first->run->step, first->run->slot);
  if (first != NULL
      && (!day_take (set->steps, &set->allowance, error)
          || !steps_settle (set->steps, set->service->publisher, error)))
    return FALSE;
  if (!transaction_commit (&set->claim.transaction, error))
    return FALSE;
  day_took (&set->allowance);
  return TRUE;
}

void
step_set_roll_back (StepSet *set)
{
  transaction_rollback (&set->claim.transaction);
  publisher_abandon (set->service->publisher, set->bundle);
}
