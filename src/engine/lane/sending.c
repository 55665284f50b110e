#include "engine/lane/sending.h"

#include "base/fault.h"
#include "engine/lane/outage.h"
#include "engine/lane/lane_private.h"

#define MOST_MESSAGES 1000 /* under way for one lane, unless one bundle has more */

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
  if (lane_has_sent (lane) && lane->list.state == LANE_IDLE && !lane->list.forgotten)
    lanes_make_ready (lanes, lane);
  else if (lane_has_sent (lane))
    lane->list.woken = TRUE;
  pthread_mutex_unlock (&lanes->lock);
  if (forgotten)
    lane_free (lane);
}

static gboolean
has_sent (Lanes *lanes, const Lane *lane)
{
  if (lane->list.sendings.length == 0)
    return FALSE;
  pthread_mutex_lock (&lanes->lock);
  gboolean sent = lane_has_sent (lane);
  pthread_mutex_unlock (&lanes->lock);
  return sent;
}

/* Every message below this offset is handled; -1: not known. */
static gint64
handled_below (const Lane *lane)
{
  const gint64 first = lane_first_offset (lane);
  if (first >= 0)
    return first;
  return lane->worker.end_seen >= 0 ? lane->worker.end_seen : lane->worker.taken;
}

/* What was sent for the messages below HANDLED is acknowledged. */
static void
store (Service *service, Lane *lane, gint64 handled)
{
  if (handled > lane->progress.handled && lane->worker.taken >= 0 && !lane->worker.unsent
      && !lane_is_lost (service->lanes, lane)) {
    FAULT_ABOUT ("lane.before_store", lane->job != NULL ? lane->job->name : lane->topic);
    /* If it fails the partition is revoked: the next owner reads the messages again. */
    (void)kafka_partition_store (lane->partition, handled);
    FAULT_ABOUT ("lane.after_store", lane->job != NULL ? lane->job->name : lane->topic);
  }
  if (handled >= 0)
    atomic_store (&lane->progress.handled, handled);
}

static void
store_all (Service *service, Lane *lane)
{
  store (service, lane, handled_below (lane));
  if (lane_first_offset (lane) < 0 && lane->worker.end_seen >= 0)
    atomic_store (&lane->progress.at_end, TRUE);
}

void
sending_finish (Service *service, Lane *lane, Bundle *bundle)
{
  for (guint tries = 0;; tries++) {
    g_autoptr (GError) error = NULL;
    if (publisher_send (service->publisher, bundle, &error))
      return;
    log_warning_every (10, "publish", "Publishing waits for Kafka", error->message);
    if (lane_should_yield (service->lanes, lane)) {
      publisher_abandon (service->publisher, bundle);
      lane->worker.unsent = TRUE;
      return;
    }
    lanes_touch (service->lanes, lane);
    g_usleep ((gulong)outage_hold_us (MIN (tries, 4)));
  }
}

/* Waits until the first of what is being sent is acknowledged, then stores the offset. If an
 * earlier one was given up, it does not wait. */
static void
settle_first (Service *service, Lane *lane)
{
  const Sending *first = g_queue_peek_head (&lane->list.sendings);
  if (!lane->worker.unsent || has_sent (service->lanes, lane))
    sending_finish (service, lane, first->bundle);
  pthread_mutex_lock (&service->lanes->lock);
  Sending *settled = g_queue_pop_head (&lane->list.sendings);
  pthread_mutex_unlock (&service->lanes->lock);
  sending_free (settled);
  const Sending *next = g_queue_peek_head (&lane->list.sendings);
  if (next != NULL)
    store (service, lane, next->before);
  else
    store_all (service, lane);
}

static guint
messages_under_way (const Lane *lane)
{
  guint n = 0;
  for (const GList *link = lane->list.sendings.head; link != NULL; link = link->next)
    n += bundle_size (((const Sending *)link->data)->bundle);
  return n;
}

void
sending_begin (Service *service, Lane *lane, Bundle *bundle)
{
  GQueue *sendings = &lane->list.sendings;
  while (
      sendings->length >= MOST_SENDINGS
      || (sendings->length > 0 && messages_under_way (lane) + bundle_size (bundle) > MOST_MESSAGES))
    settle_first (service, lane);
  Sending *sending = g_new0 (Sending, 1);
  *sending = (Sending){ .lanes = service->lanes,
                        .lane = lane,
                        .publisher = service->publisher,
                        .bundle = bundle,
                        .before = handled_below (lane) };
  pthread_mutex_lock (&service->lanes->lock);
  g_queue_push_tail (sendings, sending);
  pthread_mutex_unlock (&service->lanes->lock);
  publisher_begin (service->publisher, bundle, on_done, sending);
}

void
sending_note_if_done (Service *service, Lane *lane)
{
  while (has_sent (service->lanes, lane))
    settle_first (service, lane);
}

void
sending_note_handled (Service *service, Lane *lane)
{
  sending_note_if_done (service, lane);
  if (lane->list.sendings.length == 0)
    store_all (service, lane);
}
