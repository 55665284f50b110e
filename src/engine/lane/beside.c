/* Lanes that a worker takes with another one. */
#include "engine/lane/lane_private.h"

#include "base/clock.h"

/* A lane whose messages are still being sent, or that is given up, is taken by itself. */
static gboolean
stands_like (const Lane *lane, const Lane *other)
{
  return other->job == lane->job && (other->list.errand != NULL) == (lane->list.errand != NULL)
         && other->list.sending == NULL && !other->list.revoked && !other->worker.apart;
}

void
lanes_take_beside (Lanes *lanes, const Lane *lane, guint most, GPtrArray *taken)
{
  pthread_mutex_lock (&lanes->lock);
  GQueue *queue = lanes_queue (lanes, lane);
  gboolean closed = lanes->stopping || lanes->alone != NULL || !stands_like (lane, lane);
  for (GList *link = queue->head, *next; !closed && link != NULL && taken->len < most;
       link = next) {
    Lane *other = link->data;
    next = link->next;
    if (!stands_like (lane, other))
      continue;
    g_queue_delete_link (queue, link);
    lanes_give (lanes, other, lane->list.cancel);
    g_ptr_array_add (taken, other);
  }
  pthread_mutex_unlock (&lanes->lock);
}

void
lanes_begin_alone (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->list.running_since_us = clock_monotonic_us ();
  pg_cancel_clear (lane->list.cancel);
  pthread_mutex_unlock (&lanes->lock);
}
