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
  *errand = (Errand){ .lanes = lanes,
                      .lane = lane,
                      .code = code,
                      .job = step->run->job,
                      .leased = leased,
                      .rows = step->leased,
                      .began_us = step->began_us,
                      .started_at_us = step->started_at_us };
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
lanes_group_errands (Lanes *lanes, Errand *const *errands, guint n)
{
  ErrandGroup *group = g_atomic_rc_box_new0 (ErrandGroup);
  pthread_mutex_lock (&lanes->lock);
  group->left = n;
  for (guint i = 0; i < n; i++)
    errands[i]->group = g_atomic_rc_box_acquire (group);
  pthread_mutex_unlock (&lanes->lock);
  g_atomic_rc_box_release (group);
}

/* With the last of its group, the lanes of the others are ready as well. With the lock. */
static void
bring_back (Lanes *lanes, Errand *errand)
{
  ErrandGroup *group = errand->group;
  if (group != NULL && --group->left == 0)
    for (guint i = 0; i < lanes->all->len; i++) {
      Lane *lane = lanes->all->pdata[i];
      if (lane != errand->lane && lane->list.state == LANE_AWAY
          && lane->list.errand->group == group)
        lanes_make_ready (lanes, lane);
    }
  if (errand->lane->list.state == LANE_AWAY && errand_is_back (lanes, errand))
    lanes_make_ready (lanes, errand->lane);
}

void
errand_done (Errand *errand)
{
  Lanes *lanes = errand->lanes;
  pthread_mutex_lock (&lanes->lock);
  errand->done = TRUE;
  lanes->acting--;
  bring_back (lanes, errand);
  pthread_mutex_unlock (&lanes->lock);
}

static void
on_deleted (StoreList *list)
{
  errand_done (list->data);
}

void
errands_delete (Errand *const *errands, StoreList *const *lists, guint n)
{
  for (guint i = 0; i < n; i++) {
    lists[i]->done = on_deleted;
    lists[i]->data = errands[i];
  }
  store_delete (lists, n);
}
