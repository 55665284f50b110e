#include "engine/lane/lane_private.h"

#include "base/clock.h"

#include <time.h>

void
lane_free (Lane *lane)
{
  kafka_partition_unref (lane->partition);
  g_array_unref (lane->pending);
  g_array_unref (lane->trail);
  g_clear_pointer (&lane->ahead, g_array_unref);
  bisect_free (lane->bisect);
  errand_free (lane->errand);
  sending_free (lane->sending);
  g_free (lane->counted_together);
  g_free (lane->topic);
  g_free (lane);
}

static void
lane_message_clear (gpointer data)
{
  kafka_message_free (((LaneMessage *)data)->message);
}

Lanes *
lanes_new (guint n_jobs)
{
  Lanes *lanes = g_new0 (Lanes, 1);
  lanes->all = g_ptr_array_new ();
  lanes->n_queues = n_jobs + 1;
  lanes->queues = g_new0 (GQueue, lanes->n_queues);
  pthread_mutex_init (&lanes->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&lanes->ready, &attributes);
  pthread_cond_init (&lanes->at_rest, &attributes);
  pthread_condattr_destroy (&attributes);
  return lanes;
}

void
lanes_free (Lanes *lanes)
{
  for (guint i = 0; i < lanes->all->len; i++)
    lane_free (lanes->all->pdata[i]);
  for (guint i = 0; i < lanes->n_queues; i++)
    g_queue_clear (&lanes->queues[i]);
  g_ptr_array_unref (lanes->all);
  g_free (lanes->queues);
  pthread_cond_destroy (&lanes->ready);
  pthread_cond_destroy (&lanes->at_rest);
  pthread_mutex_destroy (&lanes->lock);
  g_free (lanes);
}

GQueue *
lanes_queue (Lanes *lanes, const Lane *lane)
{
  return &lanes->queues[lane->job != NULL ? lane->job->number : lanes->n_queues - 1];
}

void
lanes_make_ready (Lanes *lanes, Lane *lane)
{
  lane->state = LANE_READY;
  g_queue_push_tail (lanes_queue (lanes, lane), lane);
  pthread_cond_broadcast (&lanes->ready);
}

Lane *
lanes_add (Lanes *lanes, KafkaPartition *partition, const char *topic, gint32 number, Job *job,
           gboolean is_ticks)
{
  Lane *lane = g_new0 (Lane, 1);
  lane->partition = kafka_partition_ref (partition);
  lane->topic = g_strdup (topic);
  lane->number = number;
  lane->job = job;
  lane->is_ticks = is_ticks;
  lane->pending = g_array_new (FALSE, FALSE, sizeof (LaneMessage));
  g_array_set_clear_func (lane->pending, lane_message_clear);
  lane->trail = g_array_new (FALSE, FALSE, sizeof (Taken));
  lane->bisect = bisect_new ();
  lane->handled = lane->taken = lane->mine = lane->end_seen = lane->counted = -1;
  pthread_mutex_lock (&lanes->lock);
  g_ptr_array_add (lanes->all, lane);
  pthread_mutex_unlock (&lanes->lock);
  return lane;
}

/* With the lock. */
static void
wake_locked (Lanes *lanes, Lane *lane)
{
  lane->woken = TRUE;
  if (lane->state == LANE_IDLE && !lane->revoked)
    lanes_make_ready (lanes, lane);
}

void
lanes_wake (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  wake_locked (lanes, lane);
  pthread_mutex_unlock (&lanes->lock);
}

void
lanes_kick_all (Lanes *lanes)
{
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++)
    wake_locked (lanes, lanes->all->pdata[i]);
  pthread_mutex_unlock (&lanes->lock);
}

void
lanes_wait (Lanes *lanes, pthread_cond_t *condition, gint64 deadline_us)
{
  if (deadline_us == 0) {
    pthread_cond_wait (condition, &lanes->lock);
    return;
  }
  struct timespec until = { deadline_us / G_USEC_PER_SEC, (deadline_us % G_USEC_PER_SEC) * 1000 };
  pthread_cond_timedwait (condition, &lanes->lock, &until);
}

/* Held lanes whose time is up become ready. Returns when the next one is (0: none is held). With
 * the lock. */
static gint64
release_held (Lanes *lanes)
{
  gint64 next = 0, now = clock_monotonic_us ();
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->state != LANE_HELD || lane->revoked)
      continue;
    if (lane->hold_until_us <= now)
      lanes_make_ready (lanes, lane);
    else if (next == 0 || lane->hold_until_us < next)
      next = lane->hold_until_us;
  }
  return next;
}

static Lane *
pop (Lanes *lanes, gboolean intake)
{
  guint n_jobs = lanes->n_queues - 1;
  for (guint i = 0; !intake && i < n_jobs; i++) {
    guint job = (lanes->turn + i) % n_jobs;
    Lane *lane = g_queue_pop_head (&lanes->queues[job]);
    if (lane != NULL) {
      lanes->turn = (job + 1) % n_jobs;
      return lane;
    }
  }
  return g_queue_pop_head (&lanes->queues[n_jobs]);
}

/* When stopping, only errands and messages that have ended are settled still. Sets *LEFT if some
 * have not. With the lock. */
static Lane *
pop_last (Lanes *lanes, gboolean *left)
{
  *left = FALSE;
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if ((lane->errand == NULL && lane->sending == NULL)
        || (lane->state == LANE_HELD && (lane->sending == NULL || !lane->sending->done)))
      continue;
    *left = TRUE;
    if (lane->state == LANE_HELD
        || (lane->state == LANE_READY && g_queue_remove (lanes_queue (lanes, lane), lane)))
      return lane;
  }
  return NULL;
}

Lane *
lanes_take (Lanes *lanes, gboolean intake, Pg *cancel)
{
  Lane *lane = NULL;
  gboolean left = TRUE;
  pthread_mutex_lock (&lanes->lock);
  for (;;) {
    gint64 next = release_held (lanes);
    lane = lanes->stopping        ? pop_last (lanes, &left)
           : lanes->alone != NULL ? solitude_pop (lanes, intake, &next)
                                  : pop (lanes, intake);
    if (lane != NULL || !left)
      break;
    lanes_wait (lanes, &lanes->ready, next);
  }
  if (lane != NULL) {
    lane->state = LANE_RUNNING;
    lanes->running++;
    lane->cancel = cancel;
    lane->running_since_us = clock_monotonic_us ();
    pg_cancel_clear (cancel);
  }
  pthread_mutex_unlock (&lanes->lock);
  return lane;
}

void
lanes_put (Lanes *lanes, Lane *lane, LaneNext next, gint64 hold_us)
{
  pthread_mutex_lock (&lanes->lock);
  lane->state = LANE_IDLE;
  lane->cancel = NULL;
  lanes->running--;
  if (lanes->alone != NULL)
    pthread_cond_broadcast (&lanes->at_rest);
  if (next == LANE_GO_AWAY) {
    lane->state = LANE_AWAY;
    if (lane->errand->done)
      lanes_make_ready (lanes, lane);
    else if (lane->revoked || lanes->stopping)
      lane->errand->code->cancel (lane->errand->leased);
  } else if (lane->revoked) /* the revoke frees it, unless that has given up waiting */
  {
    g_clear_pointer (&lane->errand,
                     errand_free); /* one that could not be settled: its lease runs out by itself */
    pthread_cond_broadcast (&lanes->at_rest);
  } else if (next == LANE_HOLD) {
    lane->state = LANE_HELD;
    lane->hold_until_us = clock_monotonic_us () + hold_us;
    pthread_cond_broadcast (&lanes->ready);
  } else if (next == LANE_AGAIN || lane->woken)
    lanes_make_ready (lanes, lane);
  if (lanes->stopping) /* workers that wait for the last errand to be settled */
    pthread_cond_broadcast (&lanes->ready);
  gboolean forgotten = lane->forgotten && !lane_is_referred_to (lane);
  pthread_mutex_unlock (&lanes->lock);
  if (forgotten)
    lane_free (lane);
}

void
lane_about_to_read (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->woken = FALSE;
  pthread_mutex_unlock (&lanes->lock);
}

gboolean
lane_is_lost (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean lost = lane->revoked && lane->lost;
  pthread_mutex_unlock (&lanes->lock);
  return lost;
}

gboolean
lane_should_yield (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean yield = lane->revoked || lanes->stopping;
  pthread_mutex_unlock (&lanes->lock);
  return yield;
}

static void
view_clear (gpointer data)
{
  LaneView *view = data;
  kafka_partition_unref (view->partition);
  g_free (view->topic);
}

GArray *
lanes_view (Lanes *lanes)
{
  GArray *views = g_array_new (FALSE, FALSE, sizeof (LaneView));
  g_array_set_clear_func (views, view_clear);
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->revoked)
      continue;
    LaneView view = { .partition = kafka_partition_ref (lane->partition),
                      .job = lane->job,
                      .topic = g_strdup (lane->topic),
                      .number = lane->number,
                      .handled = __atomic_load_n (&lane->handled, __ATOMIC_ACQUIRE),
                      .mine = lane->mine,
                      .mine_last_ms = lane->mine_last_ms,
                      .begun = lane->begun,
                      .at_end = g_atomic_int_get (&lane->at_end),
                      .busy = lane->state != LANE_IDLE || lane->sending != NULL };
    g_array_append_val (views, view);
  }
  pthread_mutex_unlock (&lanes->lock);
  return views;
}

void
lanes_each_running (Lanes *lanes, LaneRunning visit, gpointer data)
{
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->job != NULL && (lane->state == LANE_RUNNING || lane->state == LANE_AWAY))
      visit (lane->job, lane->running_since_us, data);
  }
  pthread_mutex_unlock (&lanes->lock);
}

void
lanes_touch (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->running_since_us = clock_monotonic_us ();
  pthread_mutex_unlock (&lanes->lock);
}

gint64
lanes_longest_us (Lanes *lanes)
{
  gint64 longest = 0, now = clock_monotonic_us ();
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->state == LANE_RUNNING)
      longest = MAX (longest, now - lane->running_since_us);
  }
  pthread_mutex_unlock (&lanes->lock);
  return longest;
}
