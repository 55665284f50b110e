#include "engine/work/together.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/step/look.h"
#include "engine/step/pace.h"
#include "engine/step/replica.h"
#include "engine/work/at_once.h"
#include "engine/work/claim.h"
#include "engine/work/conclude.h"
#include "engine/work/run_step.h"
#include "engine/work/sound.h"

#define SQL "src/engine/work/sql/"
#define ENOUGH_US (100 * G_TIME_SPAN_MILLISECOND) /* no further run is begun after that */
#define LATE_US G_USEC_PER_SEC                    /* and no first one after that */
#define MOST_TAKEN 500                            /* messages of a lane at once */

typedef struct {
  Service *service;
  Pg *pg;
  Lane *lane;
  const GArray *works; /* of Work */
  Claim claim;
  Bundle *bundle;
  GPtrArray *steps;  /* of Step, owned: done */
  GPtrArray *next;   /* of Run, owned: those that are one step further in this transaction */
  GHashTable *heavy; /* run id -> Run, borrowed: those that looking at their page has not done */
  GHashTable *later; /* those of them whose turn has not come */
  gint64 began_us, rows, most; /* rows that it may change */
  GHashTable *offered;    /* run ids, borrowed: those that were to be done as one with others */
  gboolean asked, defers; /* triggers that wait for the end of a transaction */
  gboolean at_once;       /* runs are being done as one */
  const char *at_fault;   /* the run whose step has failed; borrowed. NULL: none */
} Together;

gboolean
together_can (const Lane *lane)
{
  return lane->list.errand == NULL && sound_job (lane->job) && limits_shared_rows (lane->job) > 0;
}

/* --- the runs --- */

/* The run of message I, if it has rows and was not stepped yet; NULL: not so. */
static Run *
heavy_at (const Together *together, guint i)
{
  return g_hash_table_lookup (together->heavy, g_array_index (together->works, Work, i).run_id);
}

/* A page can be looked at before the step. That is in vain where nearly all pages have rows, and
 * once is enough. A job that can be blocked asks for that first. */
static gboolean
look (Together *together, GError **error)
{
  const Job *job = together->lane->job;
  const GPtrArray *claimed_runs = together->claim.runs;
  const GArray *works = together->works, *pending = together->lane->worker.pending;
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean in_vain = job->code != NULL || job->page == NULL || job->blocked != NULL
                     || together->lane->worker.heavy;
  for (guint i = 0; i < works->len; i++)
    if (in_vain || g_array_index (pending, LaneMessage, i).heavy)
      g_hash_table_add (known, g_array_index (works, Work, i).run_id);
  for (guint i = 0; i < claimed_runs->len; i++) {
    Run *run = claimed_runs->pdata[i];
    if (g_hash_table_contains (known, run->run_id))
      g_hash_table_insert (together->heavy, run->run_id, run);
    else
      g_ptr_array_add (runs, run);
  }
  Look look = { together->pg,    together->service->prefix, together->bundle,
                together->steps, together->heavy,           job };
  return look_at_pages (&look, runs, error);
}

static gboolean
is_enough (const Together *together)
{
  return together->rows > 0
         && (together->rows >= together->most || together->defers
             || clock_monotonic_us () - together->began_us >= ENOUGH_US
             || atomic_load (&together->service->shared.stopped)
             || lane_should_yield (together->service->lanes, together->lane));
}

/* Each step ends with SET CONSTRAINTS ALL IMMEDIATE, which holds for those behind it in the
 * transaction: a deferred trigger would run after each of their statements. So where there is one,
 * nothing follows. */
static gboolean
ask_deferred (Together *together, GError **error)
{
  if (together->asked || (together->rows == 0 && at_once_wanted (together->lane) == 0))
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (together->pg, SQL "defers.sql", NULL, error);
  together->asked = rows != NULL;
  together->defers = rows != NULL && rows_bool (rows, 0, "defers");
  return rows != NULL;
}

/* --- their steps --- */

/* One step of RUN behind the step BEFORE, which is NULL for its first. NULL: it has failed. */
static Step *
step_once (Together *together, Run *run, Step *before, GError **error)
{
  Step *step = step_new (together->pg, run, together->service->prefix,
                         together->lane->worker.bisect, together->bundle);
  step->shared = TRUE;
  step->replica = together->lane->worker.replica;
  step->before = before;
  step->rows_beside = before != NULL ? before->rows_beside : together->rows;
  gboolean first = together->rows == 0;
  if (first)
    pace_begin (step);
  gboolean ok = (first || pace_begin_next (step, error)) && run_step (step, error);
  pace_end (step);
  if (!ok) {
    together->at_fault = run->run_id;
    step_free (step);
    return NULL;
  }
  gint64 rows = step->rows + (gint64)step->children->len;
  together->rows += before != NULL ? rows : MAX (1, rows);
  g_ptr_array_add (together->steps, step);
  return step;
}

/* Whether the run takes its next step in this transaction as well. A trigger that waits for the end
 * of the transaction is to come between the two. */
static gboolean
goes_on (const Together *together, Step *step)
{
  if (!step->may_follow || !step->continues || step->next_delay_ms > 0 || is_enough (together))
    return FALSE;
  pace_go_on (step);
  return json_object_get (step->next_cursor, "limit") == NULL;
}

static gboolean
step_shared (Together *together, Run *run, GError **error)
{
  Step *step = step_once (together, run, NULL, error);
  while (step != NULL) {
    if (step->may_follow && !ask_deferred (together, error))
      return FALSE;
    if (!goes_on (together, step))
      break;
    Run *next = step_next_run (step);
    g_ptr_array_add (together->next, next);
    step = step_once (together, next, step, error);
  }
  if (step != NULL)
    g_hash_table_remove (together->heavy, run->run_id);
  return step != NULL;
}

/* The next runs from the message FROM on that may be done as one. */
static GPtrArray *
next_at_once (Together *together, guint from)
{
  GPtrArray *runs = g_ptr_array_new ();
  guint wanted = together->defers ? 0 : at_once_wanted (together->lane);
  for (guint i = from; i < together->works->len && runs->len < wanted; i++) {
    Run *run = heavy_at (together, i);
    const LaneMessage *message = &g_array_index (together->lane->worker.pending, LaneMessage, i);
    const Run *first = runs->len > 0 ? runs->pdata[0] : run;
    if (run != NULL && !message->apart && run->job == first->job && sound_run (run)
        && g_hash_table_add (together->offered, run->run_id))
      g_ptr_array_add (runs, run);
  }
  return runs;
}

static gboolean
step_at_once (Together *together, guint from, GError **error)
{
  g_autoptr (GPtrArray) runs = next_at_once (together, from);
  if (runs->len < 2)
    return TRUE;
  guint before = together->steps->len;
  AtOnce all = { .service = together->service,
                 .pg = together->pg,
                 .lane = together->lane,
                 .bundle = together->bundle,
                 .runs = runs,
                 .most = together->most - together->rows,
                 .rows_beside = together->rows,
                 .steps = together->steps };
  together->at_once = TRUE;
  if (!at_once_run (&all, error)) {
    together->at_fault = all.at_fault;
    return FALSE;
  }
  together->at_once = FALSE;
  for (guint i = before; i < together->steps->len; i++) {
    const Step *step = together->steps->pdata[i];
    together->rows += MAX (1, step->rows);
    g_hash_table_remove (together->heavy, step->run->run_id);
  }
  return TRUE;
}

/* The runs with rows, in the order of their messages. */
static gboolean
step_heavy (Together *together, GError **error)
{
  for (guint i = 0; i < together->works->len; i++) {
    Run *run = heavy_at (together, i);
    gboolean late = together->rows == 0 && clock_monotonic_us () - together->began_us >= LATE_US;
    if (run == NULL || late || !sound_run (run))
      continue;
    if (!ask_deferred (together, error))
      return FALSE;
    if (is_enough (together))
      g_hash_table_add (together->later, run->run_id);
    else if (!g_hash_table_contains (together->offered, run->run_id)
             && !step_at_once (together, i, error))
      return FALSE;
    else if (g_hash_table_contains (together->heavy, run->run_id)
             && !step_shared (together, run, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
settle (Together *together, GError **error)
{
  const Step *first = together->steps->len > 0 ? together->steps->pdata[0] : NULL;
  FAULT ("together.before_settle");
  if (first != NULL) { /* its step is never done again, so the name is not used again */
    bundle_name (together->bundle, first->run->run_id, first->run->step, first->run->slot);
    pace_settle (first);
  }
  return (first == NULL || steps_settle (together->steps, together->service->publisher, error))
         && transaction_commit (&together->claim.transaction, error);
}

/* --- their messages --- */

/* Removes the handled messages. Those of runs whose turn has not come, and of locked ones, stay. */
static void
remove_handled (const Together *together)
{
  GArray *pending = together->lane->worker.pending;
  for (guint i = together->works->len; i-- > 0;) {
    const char *run_id = g_array_index (together->works, Work, i).run_id;
    gboolean later = g_hash_table_contains (together->later, run_id);
    if (later)
      g_array_index (pending, LaneMessage, i).heavy = TRUE;
    if (later || g_hash_table_contains (together->claim.locked, run_id))
      continue;
    if (g_hash_table_contains (together->heavy, run_id))
      g_array_index (pending, LaneMessage, i).alone = TRUE;
    else
      g_array_remove_index (pending, i);
  }
}

/* None of these messages is done as one with others. */
static gboolean
part (const Together *together, const GError *cause)
{
  log_debug ("Runs that were stepped as one come one by one", "job", together->lane->job->name,
             "error", cause->message);
  at_once_failed (together->lane);
  for (guint i = 0; i < together->works->len; i++)
    g_array_index (together->lane->worker.pending, LaneMessage, i).apart = TRUE;
  return TRUE;
}

/* The run at fault goes alone; the others come again without it. A step that met a lock or took too
 * long can have many like it, so then none of these is shared. Where several were done as one they
 * come again one by one. */
static gboolean
set_apart (const Together *together, const GError *error)
{
  static const char *const slow_states[] = { "57014", "55P03", "40P01", NULL };
  gboolean slow = g_strv_contains (slow_states, pg_sqlstate (together->pg));
  if (error->code == PRUNED_OUTAGE || error->code == PRUNED_FATAL
      || lane_should_yield (together->service->lanes, together->lane))
    return FALSE;
  if (together->at_fault == NULL)
    return together->at_once && (!slow || g_str_equal (pg_sqlstate (together->pg), "57014"))
           && part (together, error);
  for (guint i = 0; !slow && i < together->works->len; i++)
    if (g_str_equal (g_array_index (together->works, Work, i).run_id, together->at_fault))
      g_array_index (together->lane->worker.pending, LaneMessage, i).alone = TRUE;
  return !slow;
}

/* --- */

static gboolean
share (Together *together, GError **error)
{
  Claim *claim = &together->claim;
  replica_leave (together->lane->worker.replica);
  if (!claim_for_lane (claim, together->service, together->pg, together->lane, together->works,
                       error))
    return FALSE;
  if (claim->paused)
    return claim_park_paused (claim, error) && settle (together, error);
  if (!look (together, error))
    return FALSE;
  for (guint i = 0; i < together->steps->len; i++) {
    steps_note_started (together->steps->pdata[i]);
    pace_end (together->steps->pdata[i]);
  }
  return step_heavy (together, error) && settle (together, error);
}

static gboolean
are_heavy (const GPtrArray *steps)
{
  guint with_rows = 0;
  for (guint i = 0; i < steps->len; i++)
    with_rows += ((const Step *)steps->pdata[i])->rows > 0;
  return 8 * with_rows > 7 * steps->len;
}

/* A run that is locked and read, and whose turn does not come, costs as much as a small step. So
 * the next transaction takes little more than this one had time for, and twice as much once it has
 * done all. */
static void
note_fits (const Together *together)
{
  const guint taken = together->works->len, later = g_hash_table_size (together->later);
  guint *fits = &together->lane->worker.fits;
  if (later > 0)
    *fits = (taken - later) + (taken - later) / 4 + 1;
  else if (taken >= *fits)
    *fits = *fits < MOST_TAKEN ? 2 * *fits : 0;
}

static void
conclude (Together *together)
{
  const Claim *claim = &together->claim;
  steps_note_stale (together->service, together->lane,
                    together->works->len - claim->runs->len - claim->waits
                        - g_hash_table_size (claim->locked));
  together->lane->worker.heavy = are_heavy (together->steps);
  steps_conclude (together->service, together->lane, together->steps, &together->bundle);
  note_fits (together);
  remove_handled (together);
}

gboolean
together_run (Service *service, Pg *pg, Lane *lane, const GArray *works, GError **error)
{
  const Work *first = &g_array_index (works, Work, 0);
  g_autoptr (GPtrArray) next = g_ptr_array_new_with_free_func ((GDestroyNotify)step_next_run_free);
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  g_autoptr (GHashTable) heavy = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) later = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) offered = g_hash_table_new (g_str_hash, g_str_equal);
  Together together = { .service = service,
                        .pg = pg,
                        .lane = lane,
                        .works = works,
                        .steps = steps,
                        .next = next,
                        .heavy = heavy,
                        .most = limits_shared_rows (lane->job),
                        .later = later,
                        .offered = offered,
                        .began_us = clock_monotonic_us () };
  together.bundle
      = bundle_new (first->run_id, first->step, lane->job->name, 0); /* settle names it */
  lane->worker.rests -= lane->worker.rests > 0;
  GError *cause = NULL;
  gboolean handled = share (&together, &cause);
  if (handled)
    conclude (&together);
  else {
    lane->worker.heavy = FALSE;
    gboolean apart = set_apart (&together, cause);
    transaction_rollback (&together.claim.transaction);
    publisher_abandon (service->publisher, together.bundle);
    bisect_reset (lane->worker.bisect);
    handled = apart;
    if (apart)
      g_error_free (cause);
    else
      g_propagate_error (error, cause);
  }
  g_clear_pointer (&together.bundle, bundle_free);
  g_ptr_array_set_size (steps, 0); /* before the runs */
  claim_clear (&together.claim);
  return handled;
}
