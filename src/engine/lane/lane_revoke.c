/* Lanes that are revoked or stopped: what runs has some time to end, then it is cancelled. */
#include "engine/lane/lane_private.h"
#include "engine/lane/trail.h"

#include "base/clock.h"

gboolean
lanes_let_go (Lanes *lanes, Lane *lane)
{
  return !lane_is_referred_to (lane) && g_ptr_array_remove_fast (lanes->forgotten, lane);
}

/* A worker holds one, or one has an errand to settle, or (in the first ROUND) messages that are
 * not acknowledged. With the lock. */
static gboolean
any_running (GPtrArray *revoked, int round)
{
  for (guint i = 0; i < revoked->len; i++) {
    const Lane *lane = revoked->pdata[i];
    if (lane->list.state == LANE_RUNNING || lane->list.errand != NULL
        || (round == 0 && lane->list.sendings.length > 0))
      return TRUE;
  }
  return FALSE;
}

/* Nothing new begins on the lane. A worker still takes it to record what was sent. With the lock.
 */
static void
withdraw (Lanes *lanes, Lane *lane)
{
  if (lane->list.state == LANE_HELD) {
    g_clear_pointer (&lane->list.errand,
                     errand_free); /* it could not be settled: its lease expires */
    lane->list.state = LANE_IDLE;
  }
  if (lane->list.state == LANE_READY && lane->list.errand == NULL) {
    g_queue_remove (lanes_queue (lanes, lane), lane);
    lane->list.state = LANE_IDLE;
  }
  if (lane->list.state == LANE_IDLE && lane_has_sent (lane))
    lanes_make_ready (lanes, lane);
}

/* Cancels statements (if STATEMENTS) and asks errands to end. With the lock. */
static void
cancel_running (GPtrArray *lanes, gboolean statements)
{
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    if (statements && lane->list.state == LANE_RUNNING && lane->list.cancel != NULL)
      pg_cancel (lane->list.cancel);
    if (lane->list.errand != NULL && !lane->list.errand->done)
      lane->list.errand->code->cancel (lane->list.errand->leased);
  }
}

/* A lane that is to be given up does not wait for the errands that its own was begun with. With the
 * lock. */
static void
release_done (Lanes *lanes, Lane *lane)
{
  if (lane->list.state == LANE_AWAY && errand_is_back (lanes, lane->list.errand))
    lanes_make_ready (lanes, lane);
}

void
lanes_revoke (Lanes *lanes, GPtrArray *revoked, gboolean lost, gint64 patience_us)
{
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < revoked->len; i++) {
    Lane *lane = revoked->pdata[i];
    lane->list.revoked = TRUE;
    lane->list.lost = lost;
    release_done (lanes, lane);
    withdraw (lanes, lane);
  }
  for (int round = 0; round < 2 && any_running (revoked, round); round++) {
    gint64 deadline = clock_monotonic_us () + patience_us;
    cancel_running (revoked, round > 0);
    while (any_running (revoked, round) && clock_monotonic_us () < deadline)
      lanes_wait (lanes, &lanes->at_rest, deadline);
  }
  for (guint i = 0; i < revoked->len; i++) {
    Lane *lane = revoked->pdata[i];
    g_ptr_array_remove_fast (lanes->all, lane);
    trail_leave (lanes, lane);
    if (lanes->solitary == lane
        && lane->list.state != LANE_RUNNING) /* else its worker ends the solitude */
      lanes->solitary = NULL;
    if (lane->list.state == LANE_READY && lane->list.errand == NULL)
      g_queue_remove (lanes_queue (lanes, lane), lane);
    lane->list.forgotten = lane_is_referred_to (lane);
    if (lane->list.forgotten) /* time is up: the last one that refers to it frees it */
      g_ptr_array_add (lanes->forgotten, lane);
    else
      lane_free (lane);
  }
  pthread_cond_broadcast (
      &lanes->ready); /* while stopping, workers wait for errands of these lanes */
  pthread_mutex_unlock (&lanes->lock);
}

static void
halt (Lane *lane, gboolean cancel, GPtrArray *running)
{
  if (lane->list.run_id[0] == '\0')
    return;
  g_ptr_array_add (running, g_strdup (lane->list.run_id));
  if (cancel && lane->list.errand != NULL && !lane->list.errand->done)
    lane->list.errand->code->cancel (lane->list.errand->leased);
  else if (cancel && lane->list.errand == NULL && lane->list.cancel != NULL)
    pg_cancel (lane->list.cancel);
}

void
lanes_halt (Lanes *lanes, gboolean cancel, GPtrArray *running)
{
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++)
    halt (lanes->all->pdata[i], cancel, running);
  for (guint i = 0; i < lanes->forgotten->len; i++)
    halt (lanes->forgotten->pdata[i], cancel, running);
  pthread_mutex_unlock (&lanes->lock);
}

void
lanes_stop (Lanes *lanes)
{
  pthread_mutex_lock (&lanes->lock);
  lanes->stopping = TRUE;
  for (guint i = 0; i < lanes->all->len; i++)
    release_done (lanes, lanes->all->pdata[i]);
  cancel_running (lanes->all, FALSE);
  pthread_cond_broadcast (&lanes->ready);
  pthread_mutex_unlock (&lanes->lock);
}
