#include "engine/work/batch.h"

#include "engine/lane/outage.h"
#include "engine/outbox/dead.h"
#include "engine/work/answer.h"
#include "engine/work/careful.h"
#include "engine/work/plain.h"

#define LOCKED_HOLD_US 5000

/* The next shared transaction would not have time for more messages. */
static gboolean
is_full (const Lane *lane, const GArray *works)
{
  return lane->worker.fits > 0 && works->len >= lane->worker.fits;
}

/* Adds the pending steps to WORKS, which borrows them, up to the first that must go alone. Messages
 * that cannot be decoded are buried and removed. */
static gboolean
gather (Service *service, Pg *pg, Lane *lane, GArray *works, GError **error)
{
  GArray *pending = lane->worker.pending;
  for (guint i = 0; i < pending->len;) {
    const Pending *one = &g_array_index (pending, Pending, i);
    const gboolean alone = one->alone;
    if ((alone && i > 0) || is_full (lane, works))
      break;
    if (one->wrong == NULL) {
      g_array_append_val (works, one->work);
      i++;
    } else if (!dead_letter_bury (service, pg, one->message, one->wrong, 1, error))
      return FALSE;
    else
      g_array_remove_index (pending, i);
    if (alone)
      break;
  }
  return TRUE;
}

/* --- a lane --- */

static void
mark_all_alone (Lane *lane)
{
  for (guint i = 0; i < lane->worker.pending->len; i++)
    g_array_index (lane->worker.pending, Pending, i).alone = TRUE;
}

/* The first message has no others that its run could share a transaction with. */
static gboolean
is_alone (const Lane *lane)
{
  const GArray *pending = lane->worker.pending;
  return pending->len == 1 || g_array_index (pending, Pending, 0).alone;
}

static MessageNext
handle (Service *service, Pg *pg, Lane *lane)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work));
  if (!gather (service, pg, lane, works, &error))
    return answer_outage (service, lane, error);
  if (works->len == 0)
    return MESSAGE_HANDLED;
  if (is_alone (lane) || !plain_can (lane))
    return careful_run (service, pg, lane, &g_array_index (works, Work, 0));
  if (plain_run (service, pg, &lane, works, &error))
    return MESSAGE_HANDLED;
  if (error->code == PRUNED_OUTAGE || lane_should_yield (service->lanes, lane))
    return answer_outage (service, lane, error);
  mark_all_alone (lane); /* one of them is at fault: try each alone */
  return MESSAGE_HANDLED;
}

LaneNext
batch_handle (Service *service, Pg *pg, Lane *lane, gint64 *hold_us)
{
  MessageNext next = handle (service, pg, lane);
  if (next == MESSAGE_AWAY)
    return LANE_GO_AWAY;
  if (lane->worker.locked_since_us != 0)
    *hold_us = LOCKED_HOLD_US;
  else if (next == MESSAGE_HOLD)
    *hold_us = outage_hold_us (lane->worker.outages);
  if (*hold_us > 0)
    return LANE_HOLD;
  lane->worker.outages = 0;
  return lane->worker.pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}
