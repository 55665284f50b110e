/* A step that works without a worker between its two transactions (include/pruned/job.h).
 * Meanwhile its lane is away. */
#include "engine/lane/lane_private.h"
#include "engine/step/step.h"
#include "pruned/store.h"

Errand *
lane_begin_errand (Lanes *lanes, Lane *lane, const JobErrand *code, const Step *step,
                   gpointer leased)
{
  Errand *errand = g_new0 (Errand, 1);
  *errand
      = (Errand){ lanes, lane, code, step->run->job, leased, step->began_us, step->started_at_us,
                  FALSE };
  pthread_mutex_lock (&lanes->lock);
  lane->list.errand = errand;
  lanes->acting++;
  pthread_mutex_unlock (&lanes->lock);
  return errand;
}

void
lane_end_errand (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  Errand *errand = g_steal_pointer (&lane->list.errand);
  pthread_mutex_unlock (&lanes->lock);
  errand_free (errand);
}

void
errand_done (Errand *errand)
{
  Lanes *lanes = errand->lanes;
  pthread_mutex_lock (&lanes->lock);
  errand->done = TRUE;
  lanes->acting--;
  if (errand->lane->list.state == LANE_AWAY)
    lanes_make_ready (lanes, errand->lane);
  pthread_mutex_unlock (&lanes->lock);
}

static void
on_deleted (StoreList *list)
{
  errand_done (list->data);
}

void
errand_delete (Errand *errand, StoreList *list)
{
  list->done = on_deleted;
  list->data = errand;
  store_delete (list);
}
