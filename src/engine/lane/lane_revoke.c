/* Lanes that are taken away, or stopped: what runs may end in peace for a while, then it is
 * cancelled. */
#include "engine/lane/lane_private.h"

#include "base/clock.h"

gboolean
lane_is_referred_to (const Lane *lane)
{
  return lane->state == LANE_RUNNING || lane->errand != NULL
         || (lane->sending != NULL && !lane->sending->done);
}

/* A worker has it, or an errand that must be settled, or (in the first ROUND) messages that are not
 * acknowledged. With the lock. */
static gboolean
any_running (GPtrArray *revoked, int round)
{
  for (guint i = 0; i < revoked->len; i++) {
    const Lane *lane = revoked->pdata[i];
    if (lane->state == LANE_RUNNING || lane->errand != NULL
        || (round == 0 && lane->sending != NULL))
      return TRUE;
  }
  return FALSE;
}

/* What was sent is noted still, by a worker; nothing else begins. With the lock. */
static void
withdraw (Lanes *lanes, Lane *lane)
{
  if (lane->state == LANE_HELD) {
    g_clear_pointer (&lane->errand,
                     errand_free); /* it could not be settled: the lease runs out by itself */
    lane->state = LANE_IDLE;
  }
  if (lane->state == LANE_READY && lane->errand == NULL) {
    g_queue_remove (lanes_queue (lanes, lane), lane);
    lane->state = LANE_IDLE;
  }
  if (lane->state == LANE_IDLE && lane->sending != NULL && lane->sending->done)
    lanes_make_ready (lanes, lane);
}

/* Statements are cancelled (STATEMENTS), errands asked to come to their end. With the lock. */
static void
cancel_running (GPtrArray *lanes, gboolean statements)
{
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    if (statements && lane->state == LANE_RUNNING && lane->cancel != NULL)
      pg_cancel (lane->cancel);
    if (lane->errand != NULL && !lane->errand->done)
      lane->errand->code->cancel (lane->errand->leased);
  }
}

void
lanes_revoke (Lanes *lanes, GPtrArray *revoked, gboolean lost, gint64 patience_us)
{
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < revoked->len; i++) {
    Lane *lane = revoked->pdata[i];
    lane->revoked = TRUE;
    lane->lost = lost;
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
    if (lanes->alone == lane && lane->state != LANE_RUNNING) /* else its worker ends it */
      lanes->alone = NULL;
    if (lane->state == LANE_READY && lane->errand == NULL)
      g_queue_remove (lanes_queue (lanes, lane), lane);
    if (lane_is_referred_to (lane))
      lane->forgotten = TRUE; /* past the bound: whoever refers to it last frees it */
    else
      lane_free (lane);
  }
  pthread_cond_broadcast (
      &lanes->ready); /* workers of a process that ends wait for errands on these */
  pthread_mutex_unlock (&lanes->lock);
}

void
lanes_stop (Lanes *lanes)
{
  pthread_mutex_lock (&lanes->lock);
  lanes->stopping = TRUE;
  cancel_running (lanes->all, FALSE);
  pthread_cond_broadcast (&lanes->ready);
  pthread_mutex_unlock (&lanes->lock);
}
