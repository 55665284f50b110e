#include "engine/lane/sending.h"

#include "base/fault.h"
#include "engine/lane/outage.h"
#include "engine/lane/lane_private.h"

void
sending_free (Sending *sending)
{
  if (sending == NULL)
    return;
  publisher_abandon (sending->publisher, sending->bundle);
  bundle_free (sending->bundle);
  g_free (sending);
}

/* Everything has been acknowledged, or has failed. Thread: kafka-acks, or the worker within
 * sending_begin. */
static void
on_done (gpointer data)
{
  Sending *sending = data;
  Lanes *lanes = sending->lanes;
  Lane *lane = sending->lane;
  pthread_mutex_lock (&lanes->lock);
  sending->done = TRUE;
  gboolean forgotten = lane->forgotten && !lane_is_referred_to (lane);
  if (lane->state == LANE_IDLE && !lane->forgotten)
    lanes_make_ready (lanes, lane);
  else
    lane->woken = TRUE;
  pthread_mutex_unlock (&lanes->lock);
  if (forgotten)
    lane_free (lane);
}

static gboolean
is_done (Lane *lane)
{
  Lanes *lanes = lane->sending->lanes;
  pthread_mutex_lock (&lanes->lock);
  gboolean done = lane->sending->done;
  pthread_mutex_unlock (&lanes->lock);
  return done;
}

/* Everything before the first pending message is handled. */
static void
note (Service *service, Lane *lane)
{
  gboolean empty = lane->pending->len == 0;
  gint64 handled = !empty ? g_array_index (lane->pending, LaneMessage, 0).message->offset
                   : lane->end_seen >= 0 ? lane->end_seen
                                         : lane->taken;
  if (handled > lane->handled && lane->taken >= 0 && !lane->unsent
      && !lane_is_lost (service->lanes, lane)) {
    FAULT_ABOUT ("lane.before_store", lane->job != NULL ? lane->job->name : lane->topic);
    (void)kafka_partition_store (lane->partition,
                                 handled); /* no longer ours: the next owner reads it again */
    FAULT_ABOUT ("lane.after_store", lane->job != NULL ? lane->job->name : lane->topic);
  }
  if (handled >= 0)
    __atomic_store_n (&lane->handled, handled, __ATOMIC_RELEASE);
  if (empty && lane->end_seen >= 0)
    g_atomic_int_set (&lane->at_end, TRUE);
}

/* Waits for what is on its way, and notes it; at once if nothing is. */
static void
settle (Service *service, Lane *lane)
{
  if (lane->sending == NULL)
    return;
  outage_publish (service, lane, lane->sending->bundle);
  pthread_mutex_lock (&service->lanes->lock);
  Sending *sending = g_steal_pointer (&lane->sending);
  pthread_mutex_unlock (&service->lanes->lock);
  sending_free (sending);
  note (service, lane);
}

void
sending_begin (Service *service, Lane *lane, Bundle *bundle)
{
  settle (service, lane);
  Sending *sending = g_new0 (Sending, 1);
  *sending = (Sending){ service->lanes, lane, service->publisher, bundle, FALSE };
  pthread_mutex_lock (&service->lanes->lock);
  lane->sending = sending;
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
  if (lane->sending == NULL)
    note (service, lane);
  else
    sending_note_if_done (service, lane);
}
