/* A run that has just become ready is offered to its lane before its message has made the way
 * through Kafka. */
#include "engine/lane/lane_private.h"
#include "engine/ledger/run.h"

#define MOST_EARLY 8
#define FEW_SENDINGS 8

/* It can have the run soon, and little waits to be acknowledged. With the lock. */
static gboolean
is_free (const Lanes *lanes, const Lane *lane)
{
  return lane->list.state != LANE_HELD && lane->list.state != LANE_AWAY && !lane->list.revoked
         && lane->list.sendings.length < FEW_SENDINGS && lane->list.errand == NULL
         && lane->list.early.length < MOST_EARLY && !lanes->stopping && lanes->alone == NULL;
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
    g_queue_push_tail (&lane->list.early, g_steal_pointer (&offered));
    if (lane->list.state == LANE_IDLE)
      lanes_make_ready (lanes, lane);
  }
  pthread_mutex_unlock (&lanes->lock);
}

GArray *
lane_take_early (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  GArray *works = g_queue_pop_head (&lane->list.early);
  pthread_mutex_unlock (&lanes->lock);
  return works;
}

static gboolean
is_one_of (const GArray *early, const GArray *works)
{
  const Work *one = &g_array_index (early, Work, 0);
  for (guint i = 0; i < works->len; i++) {
    const Work *work = &g_array_index (works, Work, i);
    if (work->step == one->step && g_str_equal (work->run_id, one->run_id))
      return TRUE;
  }
  return FALSE;
}

void
lane_forget_early (Lanes *lanes, Lane *lane, const GArray *works)
{
  pthread_mutex_lock (&lanes->lock);
  for (GList *link = lane->list.early.head, *next; link != NULL; link = next) {
    next = link->next;
    if (is_one_of (link->data, works)) {
      g_array_unref (link->data);
      g_queue_delete_link (&lane->list.early, link);
    }
  }
  pthread_mutex_unlock (&lanes->lock);
}
