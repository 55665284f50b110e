#include "engine/lane/sending.h"

#include "base/fault.h"
#include "engine/lane/copy.h"
#include "engine/lane/outage.h"
#include "engine/lane/lane_private.h"

/* All messages are acknowledged or have failed. Thread: kafka-acks, or the worker within
 * sending_begin. */
static void
on_done (gpointer data)
{
  Sending *sending = data;
  Lanes *lanes = sending->lanes;
  Lane *lane = sending->lane;
  pthread_mutex_lock (&lanes->lock);
  sending->done = TRUE;
  gboolean forgotten = lane->list.forgotten && lanes_let_go (lanes, lane);
  if (lane->list.state == LANE_IDLE && !lane->list.forgotten)
    lanes_make_ready (lanes, lane);
  else
    lane->list.woken = TRUE;
  pthread_mutex_unlock (&lanes->lock);
  if (forgotten)
    lane_free (lane);
}

static gboolean
is_done (Lane *lane)
{
  Lanes *lanes = lane->list.sending->lanes;
  pthread_mutex_lock (&lanes->lock);
  gboolean done = lane->list.sending->done;
  pthread_mutex_unlock (&lanes->lock);
  return done;
}

/* Everything below the first pending message is handled: stores that offset. */
static void
store_handled (Service *service, Lane *lane)
{
  const KafkaMessage *front = lane->worker.pending->len > 0
                                  ? g_array_index (lane->worker.pending, LaneMessage, 0).message
                                  : NULL;
  gboolean empty = front == NULL || copy_is (front);
  gint64 handled = !empty                       ? front->offset
                   : lane->worker.end_seen >= 0 ? lane->worker.end_seen
                                                : lane->worker.taken;
  if (handled > lane->progress.handled && lane->worker.taken >= 0 && !lane->worker.unsent
      && !lane_is_lost (service->lanes, lane)) {
    FAULT_ABOUT ("lane.before_store", lane->job != NULL ? lane->job->name : lane->topic);
    (void)kafka_partition_store (
        lane->partition,
        handled); /* on failure the partition is revoked: the next owner reads the messages again */
    FAULT_ABOUT ("lane.after_store", lane->job != NULL ? lane->job->name : lane->topic);
  }
  if (handled >= 0)
    atomic_store (&lane->progress.handled, handled);
  if (empty && lane->worker.end_seen >= 0)
    atomic_store (&lane->progress.at_end, TRUE);
}

/* Waits until what is being sent is acknowledged, then stores the offset. Returns at once if
 * nothing is being sent. */
static void
settle (Service *service, Lane *lane)
{
  if (lane->list.sending == NULL)
    return;
  outage_publish (service, lane, lane->list.sending->bundle);
  pthread_mutex_lock (&service->lanes->lock);
  Sending *sending = g_steal_pointer (&lane->list.sending);
  pthread_mutex_unlock (&service->lanes->lock);
  sending_free (sending);
  store_handled (service, lane);
}

void
sending_begin (Service *service, Lane *lane, Bundle *bundle)
{
  settle (service, lane);
  Sending *sending = g_new0 (Sending, 1);
  *sending = (Sending){ service->lanes, lane, service->publisher, bundle, FALSE };
  pthread_mutex_lock (&service->lanes->lock);
  lane->list.sending = sending;
  pthread_mutex_unlock (&service->lanes->lock);
  publisher_begin (service->publisher, bundle, on_done, sending);
}

void
sending_note_if_done (Service *service, Lane *lane)
{
  if (is_done (lane))
    settle (service, lane);
}

void
sending_note_handled (Service *service, Lane *lane)
{
  if (lane->list.sending == NULL)
    store_handled (service, lane);
  else
    sending_note_if_done (service, lane);
}
