#include "engine/work/together.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/step/look.h"
#include "engine/step/pace.h"
#include "engine/work/claim.h"
#include "engine/work/conclude.h"
#include "engine/work/run_step.h"

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
  GHashTable *heavy; /* run ids, borrowed: those that looking at their page has not done */
  GHashTable *later; /* those of them whose turn has not come */
  gint64 began_us, rows, most; /* rows that it may change */
  gboolean asked, defers;      /* triggers that wait for the end of a transaction */
  const char *at_fault;        /* the run whose step has failed; borrowed. NULL: none */
} Together;

static gboolean
goes_with_others (const Job *job)
{
  return !job_is_errand (job) && !sentence_is_of_partitions (job->sentence);
}

gboolean
together_can (const Lane *lane)
{
  return lane->list.errand == NULL && goes_with_others (lane->job)
         && limits_shared_rows (lane->job) > 0;
}

/* --- the runs --- */

static Run *
claimed (const Together *together, const char *run_id)
{
  const GPtrArray *runs = together->claim.runs;
  for (guint i = 0; i < runs->len; i++)
    if (g_str_equal (((Run *)runs->pdata[i])->run_id, run_id))
      return runs->pdata[i];
  return NULL;
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
      g_hash_table_add (together->heavy, run->run_id);
    else
      g_ptr_array_add (runs, run);
  }
  Look look = { together->pg,    together->service->prefix, together->bundle,
                together->steps, together->heavy,           job };
  return look_at_pages (&look, runs, error);
}

/* A run that has failed or waited before, that was cut, or that is only planned would spoil the
 * transaction of the others. */
static gboolean
is_sound (const Run *run)
{
  return run->wrong == NULL && run->attempts == 0 && run->error == NULL && !run_is_planned (run)
         && in_force_mode (run->job) != MODE_PLAN && json_object_get (run->cursor, "limit") == NULL
         && goes_with_others (run->job);
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
  if (together->rows == 0 || together->asked)
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

/* The runs with rows, in the order of their messages. */
static gboolean
step_heavy (Together *together, GError **error)
{
  for (guint i = 0; i < together->works->len; i++) {
    const char *run_id = g_array_index (together->works, Work, i).run_id;
    Run *run = g_hash_table_contains (together->heavy, run_id) ? claimed (together, run_id) : NULL;
    gboolean late = together->rows == 0 && clock_monotonic_us () - together->began_us >= LATE_US;
    if (run == NULL || late || !is_sound (run))
      continue;
    if (!ask_deferred (together, error))
      return FALSE;
    if (is_enough (together))
      g_hash_table_add (together->later, run->run_id);
    else if (!step_shared (together, run, error))
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

/* The run at fault goes alone; the others come again without it. A step that met a lock or took too
 * long can have many like it, so then none of these is shared. */
static gboolean
set_apart (const Together *together, const GError *error)
{
  gboolean known = together->at_fault != NULL && error->code != PRUNED_OUTAGE
                   && error->code != PRUNED_FATAL
                   && !lane_should_yield (together->service->lanes, together->lane);
  static const char *const slow_states[] = { "57014", "55P03", "40P01", NULL };
  gboolean slow = known && g_strv_contains (slow_states, pg_sqlstate (together->pg));
  for (guint i = 0; known && !slow && i < together->works->len; i++)
    if (g_str_equal (g_array_index (together->works, Work, i).run_id, together->at_fault))
      g_array_index (together->lane->worker.pending, LaneMessage, i).alone = TRUE;
  return known && !slow;
}

/* --- */

static gboolean
share (Together *together, GError **error)
{
  Claim *claim = &together->claim;
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
  Together together = { .service = service,
                        .pg = pg,
                        .lane = lane,
                        .works = works,
                        .steps = steps,
                        .next = next,
                        .heavy = heavy,
                        .most = limits_shared_rows (lane->job),
                        .later = later,
                        .began_us = clock_monotonic_us () };
  together.bundle
      = bundle_new (first->run_id, first->step, lane->job->name, 0); /* settle names it */
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
