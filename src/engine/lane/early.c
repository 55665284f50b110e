/* A run that has just become ready is offered to its lane before its message has made the way
 * through Kafka. */
#include "engine/lane/lane_private.h"

#define FEW_SENDINGS 4

/* Nothing is in front of the run, and little waits to be acknowledged. With the lock. */
static gboolean
is_free (const Lanes *lanes, const Lane *lane)
{
  return lane->list.state == LANE_IDLE && !lane->list.woken && !lane->list.revoked
         && lane->list.sendings.length < FEW_SENDINGS && lane->list.errand == NULL
         && lane->list.early == NULL && !lanes->stopping && lanes->alone == NULL;
}

/* With the lock. */
static Lane *
find (const Lanes *lanes, const Job *job, gint32 number)
{
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->job != NULL && lane->job->number == job->number && lane->number == number)
      return lane;
  }
  return NULL;
}

void
lanes_offer_early (Lanes *lanes, const Job *job, gint32 number, GArray *works)
{
  g_autoptr (GArray) offered = works;
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = find (lanes, job, number);
  if (lane != NULL && is_free (lanes, lane)) {
    lane->list.early = g_steal_pointer (&offered);
    lanes_make_ready (lanes, lane);
  }
  pthread_mutex_unlock (&lanes->lock);
}

GArray *
lane_take_early (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  GArray *works = g_steal_pointer (&lane->list.early);
  pthread_mutex_unlock (&lanes->lock);
  return works;
}
