#include "engine/lane/solitude.h"

#include "base/clock.h"
#include "engine/lane/lane_private.h"

#define PATIENCE_US (60 * G_USEC_PER_SEC) /* longer than any step */
/* How often to check what the condition does not signal. */
#define CHECK_US (100 * G_TIME_SPAN_MILLISECOND)
/* The errand of such a lane is asked to end after this time, because all others wait. */
#define ERRAND_US (30 * G_USEC_PER_SEC)

/* With the lock. */
static void
end_errands (Lanes *lanes, const Lane *except)
{
  for (guint i = 0; i < lanes->all->len; i++) {
    const Lane *lane = lanes->all->pdata[i];
    if (lane != except && lane->list.state == LANE_AWAY && !lane->list.errand->done)
      lane->list.errand->code->cancel (lane->list.errand->leased);
  }
}

gboolean
solitude_begin (Lanes *lanes, Lane *lane)
{
  gint64 deadline = clock_monotonic_us () + PATIENCE_US;
  pthread_mutex_lock (&lanes->lock);
  gboolean mine = lanes->solitary == NULL || lanes->solitary == lane;
  if (mine) {
    lanes->solitary = lane;
    end_errands (lanes, lane);
  }
  while (mine && (lanes->running > 1 || lanes->acting > 0)) {
    mine = !lane->list.revoked && !lanes->stopping && clock_monotonic_us () < deadline;
    if (mine)
      lanes_wait (lanes, &lanes->at_rest, clock_monotonic_us () + CHECK_US);
  }
  lanes->solitary_since_us = clock_monotonic_us ();
  lane->list.running_since_us = lanes->solitary_since_us;
  pthread_mutex_unlock (&lanes->lock);
  if (!mine)
    solitude_end (lanes, lane);
  return mine;
}

void
solitude_end (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  if (lanes->solitary == lane) {
    lanes->solitary = NULL;
    pthread_cond_broadcast (&lanes->ready);
  }
  pthread_mutex_unlock (&lanes->lock);
}

Lane *
solitude_pop (Lanes *lanes, gboolean intake, gint64 *next_us)
{
  Lane *lane = lanes->solitary;
  if (lane->list.state == LANE_AWAY && !lane->list.errand->done) {
    gint64 until = lanes->solitary_since_us + ERRAND_US;
    if (clock_monotonic_us () >= until)
      lane->list.errand->code->cancel (lane->list.errand->leased);
    else if (*next_us == 0 || until < *next_us)
      *next_us = until;
  }
  if (lane->list.state != LANE_READY || (intake && lane->job != NULL)
      || !g_queue_remove (lanes_queue (lanes, lane), lane))
    return NULL;
  return lane;
}
