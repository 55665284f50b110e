#include "engine/lane/lane_private.h"

#include "base/clock.h"
#include "base/condition.h"
#include "engine/lane/solitude.h"
#include "engine/lane/trail.h"

Lanes *
lanes_new (guint n_jobs)
{
  Lanes *lanes = g_new0 (Lanes, 1);
  lanes->all = g_ptr_array_new ();
  lanes->forgotten = g_ptr_array_new ();
  lanes->left = trails_left_new ();
  lanes->n_queues = n_jobs + 1;
  lanes->queues = g_new0 (GQueue, lanes->n_queues);
  pthread_mutex_init (&lanes->lock, NULL);
  condition_init (&lanes->ready);
  condition_init (&lanes->at_rest);
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
  g_ptr_array_unref (lanes->forgotten);
  g_hash_table_unref (lanes->left);
  g_free (lanes->queues);
  pthread_cond_destroy (&lanes->ready);
  pthread_cond_destroy (&lanes->at_rest);
  pthread_mutex_destroy (&lanes->lock);
  g_free (lanes);
}

void
lanes_grow (Lanes *lanes, guint n_jobs)
{
  pthread_mutex_lock (&lanes->lock);
  guint had = lanes->n_queues;
  if (n_jobs + 1 > had) {
    lanes->queues = g_renew (GQueue, lanes->queues, n_jobs + 1);
    GQueue intake = lanes->queues[had - 1];
    for (guint i = had - 1; i < n_jobs; i++)
      g_queue_init (&lanes->queues[i]);
    lanes->queues[n_jobs] = intake;
    lanes->n_queues = n_jobs + 1;
    lanes->turn = 0;
  }
  pthread_mutex_unlock (&lanes->lock);
}

void
lane_follow (Lanes *lanes, Lane *lane, Job *job)
{
  g_assert (job->number == lane->job->number);
  pthread_mutex_lock (&lanes->lock);
  lane->job = job;
  pthread_mutex_unlock (&lanes->lock);
}

const Job *
lane_job (const Lane *lane)
{
  return lane->list.errand != NULL ? lane->list.errand->job : lane->job;
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
  lane->worker.pending = g_array_new (FALSE, FALSE, sizeof (Pending));
  g_array_set_clear_func (lane->worker.pending, pending_clear);
  lane->worker.done = works_new ();
  lane->list.early = works_new ();
  lane->intake.trail = g_array_new (FALSE, FALSE, sizeof (Taken));
  lane->worker.bisect = bisect_new ();
  lane->progress.handled = lane->worker.taken = lane->intake.mine = lane->worker.end_seen = -1;
  lane->intake.same.offset = -1;
  pthread_mutex_lock (&lanes->lock);
  g_ptr_array_add (lanes->all, lane);
  pthread_mutex_unlock (&lanes->lock);
  return lane;
}

/* With the lock. */
static void
wake_locked (Lanes *lanes, Lane *lane)
{
  lane->list.woken = TRUE;
  if (lane->list.state == LANE_IDLE && !lane->list.revoked)
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

/* Makes held lanes ready whose time is up. Returns when the next one will be; 0: none is held.
 * With the lock. */
static gint64
release_held (Lanes *lanes)
{
  gint64 next = 0, now = clock_monotonic_us ();
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->list.state != LANE_HELD || lane->list.revoked)
      continue;
    if (lane->list.hold_until_us <= now)
      lanes_make_ready (lanes, lane);
    else if (next == 0 || lane->list.hold_until_us < next)
      next = lane->list.hold_until_us;
  }
  return next;
}

/* *NEXT_US: when to look again; 0: no such time. */
static Lane *
pop_turn (Lanes *lanes, gboolean intake, gint64 *next_us)
{
  guint n_jobs = lanes->n_queues - 1;
  for (guint i = 0; !intake && i < n_jobs; i++) {
    guint job = (lanes->turn + i) % n_jobs;
    Lane *lane = lanes_pop (&lanes->queues[job], lanes, next_us);
    if (lane != NULL) {
      lanes->turn = (job + 1) % n_jobs;
      return lane;
    }
  }
  return g_queue_pop_head (&lanes->queues[n_jobs]);
}

/* While stopping, gives out only lanes whose errand or messages have ended, to settle them. Sets
 * *LEFT if some have not ended. With the lock. */
static Lane *
pop_unsettled (Lanes *lanes, gboolean *left)
{
  *left = FALSE;
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if ((lane->list.errand == NULL && lane->list.sendings.length == 0)
        || (lane->list.state == LANE_HELD && !lane_has_sent (lane)))
      continue;
    *left = TRUE;
    if (lane->list.state == LANE_HELD
        || (lane->list.state == LANE_READY && g_queue_remove (lanes_queue (lanes, lane), lane)))
      return lane;
  }
  return NULL;
}

GPtrArray *
lanes_take (Lanes *lanes, gboolean intake, Pg *cancel)
{
  GPtrArray *taken = g_ptr_array_new ();
  Lane *lane = NULL;
  gboolean left = TRUE;
  pthread_mutex_lock (&lanes->lock);
  for (;;) {
    gint64 next = release_held (lanes);
    lane = lanes->stopping           ? pop_unsettled (lanes, &left)
           : lanes->solitary != NULL ? solitude_pop (lanes, intake, &next)
                                     : pop_turn (lanes, intake, &next);
    if (lane != NULL || !left)
      break;
    lanes_wait (lanes, &lanes->ready, next);
  }
  if (lane != NULL) {
    lanes_give (lanes, lane, cancel);
    pg_cancel_clear (cancel);
    g_ptr_array_add (taken, lane);
    lanes_give_beside (lanes, lane, taken);
  }
  pthread_mutex_unlock (&lanes->lock);
  return taken;
}

/* With the lock. */
static gboolean
is_any_ready (const Lanes *lanes)
{
  gboolean any = FALSE;
  for (guint i = 0; i < lanes->n_queues; i++)
    any |= !g_queue_is_empty (&lanes->queues[i]);
  return any;
}

gboolean
lanes_keep (Lanes *lanes, Lane *lane, Pg *cancel)
{
  pthread_mutex_lock (&lanes->lock);
  release_held (lanes);
  gboolean kept = !lane->list.revoked && !lanes->stopping && lanes->solitary == NULL
                  && lane->list.errand == NULL && !is_any_ready (lanes);
  if (kept) {
    lane->list.run_id[0] = '\0';
    lane->list.running_since_us = clock_monotonic_us ();
    pg_cancel_clear (cancel);
  }
  pthread_mutex_unlock (&lanes->lock);
  return kept;
}

void
lanes_put (Lanes *lanes, Lane *lane, LaneNext next)
{
  pthread_mutex_lock (&lanes->lock);
  lane->list.state = LANE_IDLE;
  lane->list.cancel = NULL;
  if (lane->list.errand == NULL)
    lane->list.run_id[0] = '\0';
  lanes->running--;
  if (lanes->solitary != NULL)
    pthread_cond_broadcast (&lanes->at_rest);
  if (next == LANE_GO_AWAY) {
    lane->list.state = LANE_AWAY;
    if (errand_is_back (lanes, lane->list.errand))
      lanes_make_ready (lanes, lane);
    else if (lane->list.revoked || lanes->stopping
             || (lanes->solitary != NULL && lanes->solitary != lane))
      lane->list.errand->code->cancel (lane->list.errand->leased);
  } else if (lane->list.revoked) {
    /* lanes_revoke frees the lane, unless that has given up waiting. An errand that could not be
     * settled is dropped: its lease expires. */
    g_clear_pointer (&lane->list.errand, errand_free);
    if (lane_has_sent (lane) && !lane->list.forgotten)
      lanes_make_ready (lanes, lane); /* what was sent meanwhile is recorded */
    pthread_cond_broadcast (&lanes->at_rest);
  } else if (next == LANE_HOLD) {
    lane->list.state = LANE_HELD;
    lane->list.hold_until_us = clock_monotonic_us () + lane->worker.hold_us;
    pthread_cond_broadcast (&lanes->ready);
  } else if (next == LANE_AGAIN || lane->list.woken || lane->list.early->len > 0)
    lanes_make_ready (lanes, lane);
  if (lanes->stopping                 /* workers wait for the last errand */
      || lane_most_beside (lane) > 1) /* or until this one's are put */
    pthread_cond_broadcast (&lanes->ready);
  gboolean forgotten = lane->list.forgotten && lanes_let_go (lanes, lane);
  pthread_mutex_unlock (&lanes->lock);
  if (forgotten)
    lane_free (lane);
}

void
lane_about_to_read (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->list.woken = FALSE;
  pthread_mutex_unlock (&lanes->lock);
}

void
lane_note_run (Lanes *lanes, Lane *lane, const char *run_id)
{
  pthread_mutex_lock (&lanes->lock);
  g_strlcpy (lane->list.run_id, run_id != NULL ? run_id : "", sizeof lane->list.run_id);
  pthread_mutex_unlock (&lanes->lock);
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
    if (lane->list.revoked)
      continue;
    LaneView view = { .partition = kafka_partition_ref (lane->partition),
                      .job = lane->job,
                      .topic = g_strdup (lane->topic),
                      .number = lane->number,
                      .handled = atomic_load (&lane->progress.handled),
                      .mine = lane->intake.mine,
                      .mine_last_ms = lane->intake.mine_last_ms,
                      .read_to = atomic_load (&lane->intake.read_to),
                      .seen_to = atomic_load (&lane->intake.seen_to),
                      .begun = lane->intake.begun,
                      .at_end = atomic_load (&lane->progress.at_end),
                      .busy = lane->list.state != LANE_IDLE || lane->list.sendings.length > 0 };
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
    if (lane->job != NULL && (lane->list.state == LANE_RUNNING || lane->list.state == LANE_AWAY))
      visit (lane->job, lane->list.running_since_us, data);
  }
  pthread_mutex_unlock (&lanes->lock);
}

gint64
lanes_longest_us (Lanes *lanes)
{
  gint64 longest = 0, now = clock_monotonic_us ();
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->list.state == LANE_RUNNING)
      longest = MAX (longest, now - lane->list.running_since_us);
  }
  pthread_mutex_unlock (&lanes->lock);
  return longest;
}
