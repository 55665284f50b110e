/* Lanes that a worker takes with another one. */
#include "engine/lane/lane_private.h"

#include "base/clock.h"
#include "engine/job/in_force.h"

#define MOST_ROWS 1000 /* of all of them: what one request to a store takes */
#define TURN_US (250 * G_TIME_SPAN_MILLISECOND)

guint
lane_most_beside (const Lane *lane)
{
  if (lane->job == NULL || !job_kind_errands_share (lane->job->code))
    return 1;
  return (guint)MAX (1, MOST_ROWS / MAX (1, in_force_of (lane->job)->batch));
}

/* A lane that is given up is taken by itself. So is one that has to wait until messages of it are
 * sent before it may send more. */
static gboolean
stands_like (const Lane *lane, const Lane *other)
{
  return other->job == lane->job && (other->list.errand != NULL) == (lane->list.errand != NULL)
         && (other->list.errand == NULL || other->list.sendings.length < MOST_SENDINGS)
         && !other->list.revoked && !other->worker.unjoined;
}

/* The first lane of QUEUE to begin an errand, or to settle one. NULL: there is none. */
static Lane *
first_ready (const GQueue *queue, gboolean begins)
{
  for (const GList *link = queue->head; link != NULL; link = link->next)
    if ((((const Lane *)link->data)->list.errand == NULL) == begins)
      return link->data;
  return NULL;
}

/* Until when LANE waits for those of its job that workers have; 0: it need not wait. With the lock.
 */
static gint64
waits_until (const Lanes *lanes, const Lane *lane, guint most)
{
  guint ready = 0;
  gint64 until_us = 0;
  for (guint i = 0; i < lanes->all->len; i++) {
    const Lane *other = lanes->all->pdata[i];
    ready += other->list.state == LANE_READY && stands_like (lane, other);
    if (other->list.state == LANE_RUNNING && other->job == lane->job)
      until_us = MAX (until_us, other->list.running_since_us + TURN_US);
  }
  gboolean goes = ready >= most || !stands_like (lane, lane) || until_us <= clock_monotonic_us ();
  return goes ? 0 : until_us;
}

Lane *
lanes_pop (GQueue *queue, const Lanes *lanes, gint64 *next_us)
{
  const guint most = queue->length > 0 ? lane_most_beside (queue->head->data) : 1;
  if (most == 1)
    return g_queue_pop_head (queue);
  for (int begins = TRUE; begins >= FALSE; begins--) {
    Lane *lane = first_ready (queue, begins);
    const gint64 until_us = lane != NULL ? waits_until (lanes, lane, most) : 0;
    if (lane != NULL && until_us == 0) {
      g_queue_remove (queue, lane);
      return lane;
    }
    if (until_us > 0 && (*next_us == 0 || until_us < *next_us))
      *next_us = until_us;
  }
  return NULL;
}

void
lanes_give_beside (Lanes *lanes, const Lane *lane, GPtrArray *given)
{
  GQueue *queue = lanes_queue (lanes, lane);
  const gboolean open = !lanes->stopping && lanes->solitary == NULL && stands_like (lane, lane);
  const guint most = open ? lane_most_beside (lane) : 1;
  for (GList *link = queue->head, *next; link != NULL && given->len < most; link = next) {
    Lane *other = link->data;
    next = link->next;
    if (!stands_like (lane, other))
      continue;
    g_queue_delete_link (queue, link);
    lanes_give (lanes, other, lane->list.cancel);
    g_ptr_array_add (given, other);
  }
}

void
lanes_begin_alone (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->list.running_since_us = clock_monotonic_us ();
  pg_cancel_clear (lane->list.cancel);
  pthread_mutex_unlock (&lanes->lock);
}
