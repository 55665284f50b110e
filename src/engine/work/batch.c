#include "engine/work/batch.h"

#include "engine/lane/outage.h"
#include "engine/work/alone.h"
#include "engine/work/claim.h"
#include "engine/work/conclude.h"
#include "engine/outbox/dead.h"
#include "engine/step/look.h"

#define LOCKED_HOLD_US 5000

static void
handled (Lane *lane, guint index)
{
  g_array_remove_index (lane->pending, index);
}

static gboolean
bury (Service *service, const KafkaMessage *message, const char *reason, GError **error)
{
  g_autoptr (GPtrArray) dead = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  g_ptr_array_add (dead, dead_letter (service->prefix, message, reason, 1));
  if (!dead_letters_send (service, dead, error))
    return FALSE;
  dead_letter_log (message, reason);
  return TRUE;
}

/* The lane's last transaction took this run past that step. */
static gboolean
is_behind (const Lane *lane, const Work *work)
{
  const Work *ahead = lane->ahead != NULL ? &g_array_index (lane->ahead, Work, 0) : NULL;
  return ahead != NULL && work->step < ahead->step && g_str_equal (work->run_id, ahead->run_id);
}

/* The pending messages as Work, up to the first that is to go alone; undecodable ones are buried
 * and gone. */
static gboolean
decode_pending (Service *service, Lane *lane, GArray *works, GError **error)
{
  for (guint i = 0; i < lane->pending->len;) {
    LaneMessage *pending = &g_array_index (lane->pending, LaneMessage, i);
    if (pending->alone && i > 0)
      break;
    gboolean alone = pending->alone;
    Work work = { 0 };
    g_autoptr (GError) cause = NULL;
    gboolean readable = work_decode (pending->message, lane->job, &work, &cause);
    if (readable && !is_behind (lane, &work)) {
      g_array_append_val (works, work);
      i++;
    } else if (!readable && !bury (service, pending->message, cause->message, error))
      return FALSE;
    else {
      g_free (work.run_id);
      handled (lane, i);
    }
    if (alone)
      break;
  }
  return TRUE;
}

/* Pending messages whose runs have rows stay, to be done alone, and those of runs that are locked;
 * the others are handled. */
static void
keep_some (Lane *lane, const GArray *works, GHashTable *heavy, GHashTable *locked)
{
  for (guint i = works->len; i-- > 0;) {
    const char *run_id = g_array_index (works, Work, i).run_id;
    if (g_hash_table_contains (heavy, run_id))
      g_array_index (lane->pending, LaneMessage, i).alone = TRUE;
    else if (!g_hash_table_contains (locked, run_id))
      handled (lane, i);
  }
}

static gboolean
settle_together (Service *service, Transaction *transaction, GPtrArray *steps, Bundle *bundle,
                 GError **error)
{
  const Step *first = steps->len > 0 ? steps->pdata[0] : NULL;
  if (first != NULL) /* those that have rows come again at the step where they are */
    bundle_name (bundle, first->run->run_id, first->run->step, first->run->slot);
  for (guint i = 0; i < steps->len; i++)
    steps_note_started (steps->pdata[i]);
  if (steps->len > 0 && !steps_settle (steps, service->publisher, error))
    return FALSE;
  return transaction_commit (transaction, error);
}

/* FALSE with an error: nothing has happened. */
static gboolean
run_together (Service *service, Pg *pg, Lane *lane, const GArray *works, GError **error)
{
  g_auto (Claim) claim = { 0 };
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  g_autoptr (GHashTable) heavy = g_hash_table_new (g_str_hash, g_str_equal);
  const Work *first = &g_array_index (works, Work, 0);
  gboolean claimed = claim_for_lane (&claim, service, pg, lane, works, error);
  g_autoptr (Bundle) bundle
      = bundle_new (first->run_id, first->step, lane->job->name, 0); /* settle_together names it */
  Look look = { pg, service->prefix, bundle, steps, heavy };
  gboolean ok = claimed
                && (claim.paused ? claim_park_paused (&claim, error)
                                 : look_at_pages (&look, claim.runs, error))
                && settle_together (service, &claim.transaction, steps, bundle, error);
  if (!ok) {
    transaction_rollback (&claim.transaction);
    publisher_abandon (service->publisher, bundle);
    return FALSE;
  }
  steps_note_stale (service, lane, works->len - claim.runs->len - g_hash_table_size (claim.locked));
  steps_conclude (service, lane, steps, &bundle);
  keep_some (lane, works, heavy, claim.locked);
  return TRUE;
}

static void
mark_all_alone (Lane *lane)
{
  for (guint i = 0; i < lane->pending->len; i++)
    g_array_index (lane->pending, LaneMessage, i).alone = TRUE;
}

static Answer
handle (Service *service, Pg *pg, Lane *lane)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) works = works_new ();
  if (!decode_pending (service, lane, works, &error))
    return answer_outage (service, lane, error);
  if (works->len == 0)
    return ANSWER_HANDLED;
  /* Together, nobody asks whether the job is blocked. */
  if (works->len == 1 || lane->job->code != NULL || lane->job->page == NULL
      || lane->job->blocked != NULL) {
    g_array_set_size (works, 1);
    return alone_run (service, pg, lane, works);
  }
  if (run_together (service, pg, lane, works, &error))
    return ANSWER_HANDLED;
  if (error->code == PRUNED_OUTAGE || lane_should_yield (service->lanes, lane))
    return answer_outage (service, lane, error);
  mark_all_alone (lane); /* one of them is at fault: each answers for itself */
  return ANSWER_HANDLED;
}

LaneNext
batch_handle (Service *service, Pg *pg, Lane *lane, gint64 *hold_us)
{
  Answer answer = handle (service, pg, lane);
  if (answer == ANSWER_AWAY)
    return LANE_GO_AWAY;
  if (lane->locked_since_us != 0)
    *hold_us = LOCKED_HOLD_US;
  else if (answer == ANSWER_HOLD)
    *hold_us = outage_hold_us (lane->outages);
  if (*hold_us > 0)
    return LANE_HOLD;
  lane->outages = 0;
  return lane->pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}
