/* A step whose work goes on elsewhere, between its two transactions (include/pruned/job.h). Its
 * lane is away meanwhile. */
#include "engine/lane/lane_private.h"
#include "engine/step/step.h"

void
errand_free (Errand *errand)
{
  if (errand == NULL)
    return;
  errand->code->free (errand->leased);
  g_free (errand);
}

Errand *
lane_begin_errand (Lanes *lanes, Lane *lane, const Step *step, gpointer leased)
{
  Errand *errand = g_new0 (Errand, 1);
  *errand
      = (Errand){ lanes, lane, lane->job->code->errand, leased, step->began_us, step->started_at_us,
                  FALSE };
  pthread_mutex_lock (&lanes->lock);
  lane->errand = errand;
  lanes->acting++;
  pthread_mutex_unlock (&lanes->lock);
  return errand;
}

void
lane_end_errand (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  Errand *errand = g_steal_pointer (&lane->errand);
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
  if (errand->lane->state == LANE_AWAY)
    lanes_make_ready (lanes, errand->lane);
  pthread_mutex_unlock (&lanes->lock);
}
