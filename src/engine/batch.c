#include "engine/batch.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/answer.h"
#include "engine/dead.h"
#include "engine/dispatcher.h"
#include "engine/page.h"
#include "engine/stats.h"

#include <string.h>

#define SQL "src/engine/sql/"

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
  if (!publisher_send_messages (service->publisher, dead, &service->stop, error))
    return FALSE;
  dead_letter_log (message, reason);
  return TRUE;
}

/* The pending messages as Work, up to the first that is to go alone; undecodable ones are buried and gone. */
static gboolean
decode_pending (Service *service, Lane *lane, GArray *works, GError **error)
{
  for (guint i = 0; i < lane->pending->len;)
    {
      LaneMessage *pending = &g_array_index (lane->pending, LaneMessage, i);
      if (pending->alone && i > 0)
        break;
      gboolean alone = pending->alone;
      Work work = { 0 };
      g_autoptr (GError) cause = NULL;
      if (work_decode (pending->message, lane->job, &work, &cause))
        {
          g_array_append_val (works, work);
          i++;
        }
      else if (!bury (service, pending->message, cause->message, error))
        return FALSE;
      else
        handled (lane, i);
      if (alone)
        break;
    }
  return TRUE;
}

/* --- what both ways share --------------------------------------------------------------------------- */

static gboolean
park_paused (Pg *pg, const GPtrArray *runs, GError **error)
{
  GString *ids = array_new ();
  for (guint i = 0; i < runs->len; i++)
    array_add (ids, ((const Run *)runs->pdata[i])->run_id);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  g_autoptr (PgRows) parked = pg_run_file (pg, SQL "park_paused.sql", values, error);
  return parked != NULL;
}

static void
log_started (const Step *step)
{
  if (log_enabled (LOG_INFO))
    {
      g_autoptr (json_t) fields = step_log_fields (step);
      log_fields (LOG_INFO, "Started", fields);
    }
  if (step->run->step == 0 && step->run->first)
    stats_observe (STATS_START_DELAY, step->job->name, (double)(step->run->now_us - step->run->due_at_us) / 1e6);
}

static void
log_finished (const Step *step)
{
  double seconds = (double)step_elapsed_us (step) / 1e6;
  const char *job = step->job->name, *counter;
  json_t *n;
  stats_observe (STATS_STEP_SECONDS, job, seconds);
  stats_add (STATS_STEPS, job, NULL, 1);
  if (!step->continues)
    stats_add (STATS_RUNS, job, "finished", 1);
  json_object_foreach (step->counts, counter, n)
    stats_add (STATS_ROWS, job, counter, (double)json_integer_value (n));
  if (!log_enabled (LOG_INFO))
    return;
  g_autoptr (json_t) fields = step_log_fields (step);
  json_object_set_new (fields, "duration_s", json_real (seconds));
  json_object_set_new (fields, "status", json_string (step->continues ? "limit_reached" : "completed"));
  json_object_set_new (fields, "updated_rows", json_integer (0));
  json_object_update (fields, step->counts);
  if (step->reason != NULL)
    json_object_set_new (fields, "reason", json_string (step->reason));
  log_fields (LOG_INFO, "Finished", fields);
}

/* After the commit: lines, messages, and the dispatcher's alarm clock. */
static void
conclude (Service *service, Lane *lane, GPtrArray *steps, Bundle *bundle)
{
  gint64 soonest_ms = -1;
  if (bundle_size (bundle) > 0)
    answer_publish (service, lane, bundle);
  for (guint i = 0; i < steps->len; i++)
    {
      Step *step = steps->pdata[i];
      step_write_logs (step);
      log_finished (step);
      if (step->continues && step->next_delay_ms > 0 && (soonest_ms < 0 || step->next_delay_ms < soonest_ms))
        soonest_ms = step->next_delay_ms;
      if (step->children->len > 0)
        soonest_ms = 0;
    }
  if (soonest_ms >= 0)
    dispatcher_wake (service->dispatcher, soonest_ms);
}

static void
note_stale (Service *service, const Lane *lane, double n)
{
  if (n > 0)
    stats_add (STATS_STALE_MESSAGES, lane->job->name, NULL, n);
}

/* --- alone -------------------------------------------------------------------------------------------- */

static gboolean
step_and_commit (Service *service, Transaction *transaction, Step *step, GPtrArray *steps, GError **error)
{
  log_started (step);
  FAULT ("step.after_fence");
  return step_work (step, error) && steps_settle (steps, service->publisher, error)
         && transaction_commit (transaction, error);
}

/* One try of one run. */
static Answer
try_alone (Service *service, Pg *pg, Lane *lane, const GArray *works)
{
  g_autoptr (GError) error = NULL;
  gboolean paused = FALSE;
  Transaction transaction = { 0 };
  g_autoptr (GPtrArray) runs = NULL;
  if (transaction_begin (&transaction, service, pg, &error))
    runs = transaction_fence (&transaction, lane->job, works, &paused, &error);
  if (runs == NULL || runs->len == 0 || paused)
    {
      gboolean ok = runs != NULL && (runs->len == 0 || park_paused (pg, runs, &error))
                    && transaction_commit (&transaction, &error);
      if (!ok)
        {
          transaction_rollback (&transaction);
          return answer_outage (service, lane, error);
        }
      note_stale (service, lane, runs->len == 0);
      return ANSWER_HANDLED;
    }
  Run *run = runs->pdata[0];
  g_autoptr (Bundle) bundle = bundle_new (run->run_id, run->step, lane->job->name, run->slot);
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  Step *step = step_new (pg, run, service->prefix, lane->bisect, bundle);
  g_ptr_array_add (steps, step);
  if (step_and_commit (service, &transaction, step, steps, &error))
    {
      conclude (service, lane, steps, bundle);
      return ANSWER_HANDLED;
    }
  g_autofree char *sqlstate = g_strdup (error->code == PRUNED_OUTAGE || error->domain != PRUNED_ERROR ? "" : pg_sqlstate (pg));
  transaction_rollback (&transaction);
  publisher_abandon (service->publisher, bundle);
  return answer_failure (service, lane, pg, step, sqlstate, error);
}

static Answer
run_alone (Service *service, Pg *pg, Lane *lane, const GArray *works)
{
  Answer answer;
  do
    answer = try_alone (service, pg, lane, works);
  while (answer == ANSWER_AGAIN && !lane_should_yield (service->lanes, lane));
  if (answer == ANSWER_HANDLED)
    {
      bisect_reset (lane->bisect);
      handled (lane, 0);
    }
  return answer == ANSWER_AGAIN ? ANSWER_HOLD : answer;
}

/* --- together ----------------------------------------------------------------------------------------- */

/* The page queries of all RUNS in one pipeline; runs without rows become STEPS, the ids of the others go to HEAVY. */
static gboolean
look_at_pages (Service *service, Pg *pg, const GPtrArray *runs, Bundle *bundle, GPtrArray *steps, GHashTable *heavy,
               GError **error)
{
  g_autoptr (GPtrArray) asked = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  for (guint i = 0; i < runs->len; i++)
    {
      Page page = { 0 };
      Run *run = runs->pdata[i];
      if (page_of_event (run, &page) || json_object_get (run->args, "cursor") != NULL)
        {
          page_clear (&page);
          g_hash_table_add (heavy, run->run_id);
          continue;
        }
      Step *step = step_new (pg, run, service->prefix, NULL, bundle);
      g_ptr_array_add (asked, step);
      g_autoptr (PgValues) values = page_values (step, page_limit (run));
      if (!pg_queue (pg, run->job->page, values, error))
        return FALSE;
    }
  if (asked->len == 0)
    return TRUE;
  if (!pg_flush (pg, error))
    return FALSE;
  for (guint i = 0; i < asked->len; i++)
    {
      Step *step = asked->pdata[i];
      g_autoptr (PgRows) rows = pg_next (pg, error);
      if (rows == NULL)
        return FALSE;
      Page page = { 0 };
      page_read (step->run, rows, page_limit (step->run), &page);
      if (page.keys->len > 0)
        g_hash_table_add (heavy, step->run->run_id);
      else
        {
          if (page.more)
            step_continue (step, g_steal_pointer (&page.cursor), step->job->delay_ms);
          g_ptr_array_add (steps, step);
          asked->pdata[i] = NULL;
        }
      page_clear (&page);
    }
  return pg_finish (pg, error);
}

/* Pending messages whose runs have rows stay, to be done alone; the others are handled. */
static void
keep_heavy (Lane *lane, const GArray *works, GHashTable *heavy)
{
  for (guint i = works->len; i-- > 0;)
    if (g_hash_table_contains (heavy, g_array_index (works, Work, i).run_id))
      g_array_index (lane->pending, LaneMessage, i).alone = TRUE;
    else
      handled (lane, i);
}

static gboolean
settle_together (Service *service, Transaction *transaction, GPtrArray *steps, GError **error)
{
  for (guint i = 0; i < steps->len; i++)
    log_started (steps->pdata[i]);
  if (steps->len > 0 && !steps_settle (steps, service->publisher, error))
    return FALSE;
  return transaction_commit (transaction, error);
}

/* FALSE with an error: nothing has happened. */
static gboolean
run_together (Service *service, Pg *pg, Lane *lane, const GArray *works, GError **error)
{
  Transaction transaction = { 0 };
  gboolean paused = FALSE;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  g_autoptr (GHashTable) heavy = g_hash_table_new (g_str_hash, g_str_equal);
  const Work *first = &g_array_index (works, Work, 0);
  g_autoptr (Bundle) bundle = NULL;
  if (transaction_begin (&transaction, service, pg, error))
    runs = transaction_fence (&transaction, lane->job, works, &paused, error);
  if (runs != NULL)
    {
      const Run *name = runs->len > 0 ? runs->pdata[0] : NULL;
      bundle = name != NULL ? bundle_new (name->run_id, name->step, lane->job->name, name->slot)
                            : bundle_new (first->run_id, first->step, lane->job->name, 0);
    }
  gboolean ok = runs != NULL
                && (paused ? park_paused (pg, runs, error)
                           : look_at_pages (service, pg, runs, bundle, steps, heavy, error))
                && settle_together (service, &transaction, steps, error);
  if (!ok)
    {
      transaction_rollback (&transaction);
      publisher_abandon (service->publisher, bundle);
      return FALSE;
    }
  note_stale (service, lane, works->len - runs->len);
  conclude (service, lane, steps, bundle);
  keep_heavy (lane, works, heavy);
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
  if (works->len == 1 || lane->job->code != NULL || lane->job->page == NULL)
    {
      g_array_set_size (works, 1);
      return run_alone (service, pg, lane, works);
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
  if (answer == ANSWER_HOLD)
    {
      *hold_us = answer_hold_us (lane->outages);
      return LANE_HOLD;
    }
  lane->outages = 0;
  return lane->pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}
