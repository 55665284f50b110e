/* What all files of this folder do to a lane and to the list; it uses none of them. */
#include "engine/lane/lane_private.h"

#include "base/clock.h"
#include "base/condition.h"

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
