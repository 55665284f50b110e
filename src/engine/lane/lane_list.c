/* What all files of this folder do to a lane and to the list; it uses none of them. */
#include "base/clock.h"
#include "base/condition.h"
#include "engine/job/in_force.h"
#include "engine/lane/lane_private.h"

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
lanes_begin_next (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->list.running_since_us = clock_monotonic_us ();
  pg_cancel_clear (lane->list.cancel);
  pthread_mutex_unlock (&lanes->lock);
}

void
errand_free (Errand *errand)
{
  if (errand == NULL)
    return;
  errand->code->free (errand->leased);
  if (errand->group != NULL)
    g_atomic_rc_box_release (errand->group);
  g_free (errand);
}

gboolean
errand_is_back (const Lanes *lanes, const Errand *errand)
{
  return errand->done
         && (errand->group == NULL || errand->group->left == 0 || errand->lane->list.revoked
             || lanes->stopping || lanes->solitary != NULL);
}

void
sending_free (Sending *sending)
{
  publisher_abandon (sending->publisher, sending->bundle);
  bundle_free (sending->bundle);
  g_free (sending);
}

void
lane_free (Lane *lane)
{
  kafka_partition_unref (lane->partition);
  g_array_unref (lane->worker.pending);
  g_array_unref (lane->intake.trail);
  g_array_unref (lane->worker.done);
  g_array_unref (lane->list.early);
  bisect_free (lane->worker.bisect);
  errand_free (lane->list.errand);
  g_queue_clear_full (&lane->list.sendings, (GDestroyNotify)sending_free);
  g_free (lane->suspects.counted);
  g_free (lane->topic);
  g_free (lane);
}

void
pending_clear (gpointer pending)
{
  Pending *one = pending;
  kafka_message_free (one->message);
  work_clear (&one->work);
  g_free (one->wrong);
}

gint64
lane_first_offset (const Lane *lane)
{
  const GArray *pending = lane->worker.pending;
  const KafkaMessage *first = pending->len > 0 ? g_array_index (pending, Pending, 0).message : NULL;
  return first != NULL ? first->offset : -1;
}

/* Offsets are committed twice a second. So a message that killed the process is read again soon
 * after an assignment, behind what was handled since the last commit. */
gboolean
lane_is_fresh (const Lane *lane)
{
  const gint64 until_us = atomic_load (&lane->suspects.fresh_until_us);
  return until_us == 0 || clock_monotonic_us () < until_us;
}

gboolean
lane_has_sent (const Lane *lane)
{
  const GList *first = lane->list.sendings.head;
  return first != NULL && ((const Sending *)first->data)->done;
}

gboolean
lane_is_referred_to (const Lane *lane)
{
  gboolean sends = FALSE;
  for (const GList *link = lane->list.sendings.head; link != NULL; link = link->next)
    sends |= !((const Sending *)link->data)->done;
  return lane->list.state == LANE_RUNNING || lane->list.errand != NULL || sends;
}

GQueue *
lanes_queue (Lanes *lanes, const Lane *lane)
{
  return &lanes->queues[lane->job != NULL ? lane->job->number : lanes->n_queues - 1];
}

void
lanes_make_ready (Lanes *lanes, Lane *lane)
{
  lane->list.state = LANE_READY;
  g_queue_push_tail (lanes_queue (lanes, lane), lane);
  pthread_cond_broadcast (&lanes->ready);
}

void
lanes_give (Lanes *lanes, Lane *lane, Pg *cancel)
{
  lane->list.state = LANE_RUNNING;
  lanes->running++;
  lane->list.cancel = cancel;
  lane->list.running_since_us = clock_monotonic_us ();
}

void
lanes_wait (Lanes *lanes, pthread_cond_t *condition, gint64 deadline_us)
{
  if (deadline_us == 0) {
    pthread_cond_wait (condition, &lanes->lock);
    return;
  }
  (void)condition_wait (condition, &lanes->lock, deadline_us);
}

gboolean
lane_is_lost (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean lost = lane->list.revoked && lane->list.lost;
  pthread_mutex_unlock (&lanes->lock);
  return lost;
}

gboolean
lane_should_yield (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean yield = lane->list.revoked || lanes->stopping;
  pthread_mutex_unlock (&lanes->lock);
  return yield;
}

void
lanes_touch (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->list.running_since_us = clock_monotonic_us ();
  pthread_mutex_unlock (&lanes->lock);
}
