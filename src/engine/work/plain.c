/* The stages of the plain path, in their order: claim, look, step, settle; and what becomes of the
 * messages. Errands have one stage instead of the last three: they begin, or are settled.
 *
 * Length: a reader follows a transaction from its first message to its last.
 */
#include "engine/work/plain.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/lane/early.h"
#include "engine/step/look.h"
#include "engine/step/pace.h"
#include "engine/step/replica.h"
#include "engine/work/conclude.h"
#include "engine/work/errands.h"
#include "engine/work/step_set.h"

#define MOST_TAKEN 500 /* messages of a lane at once */
#define SQL "src/engine/work/sql/"
#define ENOUGH_US (100 * G_TIME_SPAN_MILLISECOND) /* no further run is begun after that */
#define LATE_US G_USEC_PER_SEC                    /* and no first one after that */
/* Runs that are done as one. */
#define FEWEST 8
#define MOST 100 /* lists up to here are planned once (pg/statement.c) */
#define GOAL_US (50 * G_TIME_SPAN_MILLISECOND) /* those that take longer become fewer */
#define REST 16                                /* batches of a lane whose job does not fit */

/* Runs of a lane that share a transaction. */
typedef struct {
  StepSet set; /* `steps`: those that are done */
  Lane *const *lanes;
  Lane *lane;          /* the first, which is all but of errands */
  const GArray *works; /* of Work */
  GHashTable *heavy;   /* run id -> Run, borrowed: those that looking at their page has not done */
  GHashTable *later;   /* those of them whose turn has not come */
  gint64 began_us, rows, most; /* rows that it may change */
  GHashTable *offered;    /* run ids, borrowed: those that were to be done as one with others */
  gboolean asked, defers; /* triggers that wait for the end of a transaction */
  gboolean stirs;       /* a trigger could change what the statement decides about rows behind it */
  gboolean at_once;     /* several runs are being done as one */
  const char *at_fault; /* the run whose step has failed; borrowed. NULL: none */
} Plain;

gboolean
plain_can (const Lane *lane)
{
  return lane->list.errand == NULL && lane->job->kind->shares && limits_shared_rows (lane->job) > 0;
}

/* The step of RUN can share a transaction: it has not failed before, was not cut, is not divided,
 * and is no plan. */
static gboolean
is_plain (const Run *run)
{
  return run->wrong == NULL && run->attempts == 0 && run->error == NULL && !run_is_planned (run)
         && in_force_mode (run->job) != MODE_PLAN && run->progress.limit == 0
         && find_is_plain (run);
}

static gboolean
is_of_errands (const Plain *plain)
{
  return plain->lane->job->kind->errand;
}

static gboolean
is_shareable (const Run *run)
{
  return is_plain (run) && run->job->kind->shares;
}

/* --- look --- */

/* Finds the pages of runs before any of them is stepped: a run whose page is empty ends by that. If
 * nearly all pages of the lane have rows, a run finds its page when it is stepped; so it does if
 * one was found in an earlier transaction, or if its job has to be asked first whether it is
 * blocked. */
static gboolean
look (Plain *plain, GError **error)
{
  const Job *job = plain->lane->job;
  const GPtrArray *claimed_runs = plain->set.claim.runs;
  const GArray *works = plain->works, *pending = plain->lane->worker.pending;
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean in_vain
      = !job->kind->pages || job->page == NULL || job->blocked != NULL || plain->lane->worker.heavy;
  for (guint i = 0; i < works->len; i++)
    if (in_vain || g_array_index (pending, Pending, i).heavy)
      g_hash_table_add (known, g_array_index (works, Work, i).run_id);
  for (guint i = 0; i < claimed_runs->len; i++) {
    Run *run = claimed_runs->pdata[i];
    if (g_hash_table_contains (known, run->run_id))
      g_hash_table_insert (plain->heavy, run->run_id, run);
    else
      g_ptr_array_add (runs, run);
  }
  StepSet *set = &plain->set;
  Look look
      = { set->pg, set->service->prefix, set->bundle, set->steps, set->pages, plain->heavy, job };
  return look_at_pages (&look, runs, error);
}

/* --- how many at once --- */

/* The run of message I, if it has rows and was not stepped yet; NULL: not so. */
static Run *
heavy_at (const Plain *plain, guint i)
{
  return g_hash_table_lookup (plain->heavy, g_array_index (plain->works, Work, i).run_id);
}

static gboolean
is_enough (const Plain *plain)
{
  return plain->rows > 0
         && (plain->rows >= plain->most || plain->defers
             || clock_monotonic_us () - plain->began_us >= ENOUGH_US
             || atomic_load (&plain->set.service->shared.stopped)
             || lane_should_yield (plain->set.service->lanes, plain->lane));
}

/* How many runs are done as one from here on, at most; 0: none. */
static guint
wanted_at_once (const Plain *plain)
{
  const Lane *lane = plain->lane;
  gboolean room = plain->works->len > 1 && plain->most - plain->rows > 1 && !plain->stirs
                  && lane->worker.rests == 0;
  return room ? CLAMP (lane->worker.at_once, FEWEST, MOST) : 0;
}

static void
begin_small (Lane *lane)
{
  lane->worker.at_once = FEWEST;
}

/* N were done as one, in TOOK_US. */
static void
note_speed (Lane *lane, guint n, gint64 took_us)
{
  const guint wanted = CLAMP (lane->worker.at_once, FEWEST, MOST);
  if (took_us > GOAL_US)
    lane->worker.at_once = wanted / 2;
  else if (2 * n > wanted)
    lane->worker.at_once = 2 * wanted;
}

/* The statement that changes rows may be the one that decides about them. A sentence whose rows
 * have triggers decides before, under lock; code in C knows its rows by their ids. */
static gboolean
relies_on_file (const Job *job)
{
  return job->sentence == NULL && job->code == NULL;
}

/* Each step ends with SET CONSTRAINTS ALL IMMEDIATE, which holds for those behind it in the
 * transaction: a deferred trigger would run after each of their statements. So where there is one,
 * nothing follows. */
static gboolean
ask_triggers (Plain *plain, GError **error)
{
  if (plain->asked || (plain->rows == 0 && wanted_at_once (plain) == 0))
    return TRUE;
  const Job *job = plain->lane->job;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", job->table);
  g_autoptr (PgRows) rows = pg_run_file (plain->set.pg, SQL "defers.sql", values, error);
  plain->asked = rows != NULL;
  plain->defers = rows != NULL && rows_bool (rows, 0, "defers");
  plain->stirs = rows != NULL && rows_bool (rows, 0, "stirs") && relies_on_file (job);
  return rows != NULL;
}

/* --- step --- */

static void
take_steps (Plain *plain, GPtrArray *steps)
{
  for (guint i = 0; i < steps->len; i++) {
    const Step *step = steps->pdata[i];
    const gint64 rows = step->rows + (gint64)step->children->len;
    plain->rows += step->before != NULL ? rows : MAX (1, rows);
    if (step->before != NULL)
      step_is_followed (step->before);
    g_hash_table_remove (plain->heavy, step->run->run_id);
  }
  g_ptr_array_extend_and_steal (plain->set.steps, g_ptr_array_ref (steps));
}

/* The first step of a transaction has its time; those behind it have little. */
static gboolean
begin_time (const Plain *plain, GPtrArray *steps, GError **error)
{
  Step *const *all = (Step *const *)steps->pdata;
  if (steps->len > 1 || plain->rows > 0)
    return pace_begin_next (all, steps->len, error);
  pace_begin (all, steps->len);
  return TRUE;
}

/* One step of each of STEPS (of Step); those that do not fit to the others are freed and left. */
static gboolean
step_once (Plain *plain, GPtrArray *steps, GError **error)
{
  Step *first = steps->pdata[0];
  Run *run = first->run;
  const gint64 began_us = clock_monotonic_us ();
  const char *at_fault = steps->len == 1 ? run->run_id : NULL, *known = NULL;
  plain->at_once = steps->len > 1;
  if (!begin_time (plain, steps, error)
      || !step_set_run (steps, plain->most - plain->rows, &known, error)) {
    plain->at_fault = at_fault != NULL ? at_fault : known;
    return FALSE;
  }
  if (steps->len > 1)
    FAULT ("at_once.done");
  const gint64 took_us = pace_end ((Step *const *)steps->pdata, steps->len, began_us);
  if (plain->at_once)
    note_speed (plain->lane, steps->len, took_us);
  if (steps->len == 0 && (run->job->code != NULL || !step_set_fits (run->job)))
    plain->lane->worker.rests = REST;
  plain->at_once = FALSE;
  take_steps (plain, steps);
  return TRUE;
}

/* Whether a run takes its next step in this transaction as well. A trigger that waits for the end
 * of the transaction is to come between the two. */
static gboolean
goes_on (const Plain *plain, Step *step, gboolean one)
{
  if (!step->may_follow || !step->continues || step->next_delay_ms > 0
      || (one && is_enough (plain)))
    return FALSE;
  pace_continue (step);
  return step->next.limit == 0;
}

static GPtrArray *
steps_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
}

/* The steps that follow those that are done, from FROM on. */
static GPtrArray *
next_steps (Plain *plain, guint from, gboolean one)
{
  GPtrArray *next = steps_new ();
  for (guint i = from; i < plain->set.steps->len; i++) {
    Step *step = plain->set.steps->pdata[i];
    if (!goes_on (plain, step, one))
      continue;
    Run *run = step_next_run (step);
    g_ptr_array_add (plain->set.next, run);
    g_ptr_array_add (next, step_set_make (&plain->set, plain->lane, run, step, TRUE));
  }
  return next;
}

/* RUNS (of Run), as one if they are several: each round steps every run once. */
static gboolean
step_runs (Plain *plain, const GPtrArray *runs, GError **error)
{
  const GPtrArray *done = plain->set.steps;
  const gboolean coded = plain->lane->job->code != NULL;
  g_autoptr (GPtrArray) steps = steps_new ();
  for (guint i = 0; i < runs->len; i++)
    g_ptr_array_add (steps, step_set_make (&plain->set, plain->lane, runs->pdata[i], NULL, TRUE));
  while (steps->len > 0) {
    const guint n = steps->len, before = done->len;
    if (!step_once (plain, steps, error))
      return FALSE;
    if (n > 1 && coded)
      FAULT ("at_once.between_steps");
    if (n == 1 && ((const Step *)done->pdata[before])->may_follow && !ask_triggers (plain, error))
      return FALSE;
    g_ptr_array_unref (steps);
    steps = next_steps (plain, before, n == 1);
  }
  return TRUE;
}

static gboolean
step_run (Plain *plain, Run *run, GError **error)
{
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_ptr_array_add (one, run);
  return step_runs (plain, one, error);
}

/* The next runs from the message FROM on that may be done as one. */
static GPtrArray *
next_at_once (Plain *plain, guint from)
{
  GPtrArray *runs = g_ptr_array_new ();
  guint wanted = plain->defers ? 0 : wanted_at_once (plain);
  for (guint i = from; i < plain->works->len && runs->len < wanted; i++) {
    Run *run = heavy_at (plain, i);
    const Pending *message = &g_array_index (plain->lane->worker.pending, Pending, i);
    const Run *first = runs->len > 0 ? runs->pdata[0] : run;
    if (run != NULL && !message->single && run->job == first->job && is_shareable (run)
        && g_hash_table_add (plain->offered, run->run_id))
      g_ptr_array_add (runs, run);
  }
  return runs;
}

static gboolean
step_at_once (Plain *plain, guint from, GError **error)
{
  g_autoptr (GPtrArray) runs = next_at_once (plain, from);
  return runs->len < 2 || step_runs (plain, runs, error);
}

/* Steps the runs with rows, in the order of their messages, until the transaction has enough.
 * FALSE: one has failed; `at_fault` names it where it is known. */
static gboolean
step_heavy (Plain *plain, GError **error)
{
  for (guint i = 0; i < plain->works->len; i++) {
    Run *run = heavy_at (plain, i);
    gboolean late = plain->rows == 0 && clock_monotonic_us () - plain->began_us >= LATE_US;
    if (run == NULL || late || !is_shareable (run))
      continue;
    if (!ask_triggers (plain, error))
      return FALSE;
    if (is_enough (plain))
      g_hash_table_add (plain->later, run->run_id);
    else if (!g_hash_table_contains (plain->offered, run->run_id)
             && !step_at_once (plain, i, error))
      return FALSE;
    else if (g_hash_table_contains (plain->heavy, run->run_id) && !step_run (plain, run, error))
      return FALSE;
  }
  return TRUE;
}

/* --- errands --- */

/* One step for each lane, or none. The first of them begins the time of all. */
static gboolean
begin_errands (Plain *plain, GError **error)
{
  StepSet *set = &plain->set;
  for (guint i = 0; i < set->claim.runs->len; i++) {
    Run *run = set->claim.runs->pdata[i];
    g_hash_table_insert (plain->heavy, run->run_id, run);
  }
  for (guint i = 0; i < plain->works->len; i++) {
    Run *run = heavy_at (plain, i);
    if (run == NULL || !is_plain (run))
      return error_set (error, PRUNED_BUSY, "not all runs can be stepped; tried again alone");
    Step *step = step_set_make (set, plain->lanes[i], run, NULL, TRUE);
    g_ptr_array_add (set->steps, step);
    lane_note_run (set->service->lanes, plain->lanes[i], run->run_id);
  }
  pace_begin ((Step *const *)set->steps->pdata, set->steps->len);
  return pg_exec_later (set->pg, "SET LOCAL lock_timeout = '100ms'", error);
}

static gboolean
step_errands (Plain *plain, GError **error)
{
  StepSet *set = &plain->set;
  plain->lane->worker.locked_since_us = 0;
  if (!begin_errands (plain, error))
    return FALSE;
  if (plain->lane->list.errand == NULL)
    return errands_lease (set, plain->lanes, error);
  if (!errands_settle (set, plain->lanes, error))
    return FALSE;
  pace_divide ((Step *const *)set->steps->pdata, set->steps->len, plain->began_us);
  FAULT ("errands.before_commit");
  if (!step_set_commit (set, error))
    return FALSE;
  FAULT ("errands.after_commit");
  return TRUE;
}

/* Those that have begun are away; those that are settled are handled. */
static void
conclude_errands (Plain *plain)
{
  Service *service = plain->set.service;
  GPtrArray *steps = plain->set.steps;
  if (!plain->set.claim.settles)
    return;
  conclude_steps (service, plain->lane, steps, &plain->set.bundle);
  for (guint i = 0; i < steps->len; i++) {
    early_step_done (service->lanes, plain->lanes[i], steps->pdata[i]);
    conclude_first (service, plain->lanes[i]);
  }
}

/* --- settle --- */

static gboolean
settle (Plain *plain, GError **error)
{
  FAULT ("together.before_settle");
  if (plain->set.steps->len > 0)
    pace_settle (plain->set.steps->pdata[0]);
  return step_set_commit (&plain->set, error);
}

/* --- their messages --- */

/* Removes the handled messages. Those of runs whose turn has not come, and of locked ones, stay. */
static void
remove_handled (const Plain *plain)
{
  GArray *pending = plain->lane->worker.pending;
  for (guint i = plain->works->len; i-- > 0;) {
    const char *run_id = g_array_index (plain->works, Work, i).run_id;
    gboolean later = g_hash_table_contains (plain->later, run_id);
    if (later)
      g_array_index (pending, Pending, i).heavy = TRUE;
    if (later || g_hash_table_contains (plain->set.claim.locked, run_id))
      continue;
    if (g_hash_table_contains (plain->heavy, run_id))
      g_array_index (pending, Pending, i).careful = TRUE;
    else
      g_array_remove_index (pending, i);
  }
}

/* None of these messages is done as one with others. */
static gboolean
part (const Plain *plain, const GError *cause)
{
  log_debug ("Runs could not be stepped together; each is stepped alone", "job",
             plain->lane->job->name, "error", cause->message);
  begin_small (plain->lane);
  for (guint i = 0; i < plain->works->len; i++)
    g_array_index (plain->lane->worker.pending, Pending, i).single = TRUE;
  return TRUE;
}

/* The run at fault goes the careful path; the others come again without it, or all as they are
 * where only the rows of the day have to be counted. A step that met a lock or took too long can
 * have many like it, so then none of these is shared. Where several were done as one they come
 * again one by one.
 */
static gboolean
come_again (const Plain *plain, const GError *error)
{
  static const char *const slow_states[] = { "57014", "55P03", "40P01", NULL };
  gboolean slow = g_strv_contains (slow_states, pg_sqlstate (plain->set.pg));
  if (error->code == PRUNED_OUTAGE || error->code == PRUNED_FATAL
      || lane_should_yield (plain->set.service->lanes, plain->lane))
    return FALSE;
  if (plain->set.allowance.again
      && is_of_errands (plain)) /* the first counts, on the careful path */
    g_array_index (plain->lane->worker.pending, Pending, 0).careful = TRUE;
  if (plain->set.allowance.again)
    return TRUE;
  if (plain->at_fault == NULL)
    return plain->at_once && (!slow || g_str_equal (pg_sqlstate (plain->set.pg), "57014"))
           && part (plain, error);
  for (guint i = 0; !slow && i < plain->works->len; i++)
    if (g_str_equal (g_array_index (plain->works, Work, i).run_id, plain->at_fault))
      g_array_index (plain->lane->worker.pending, Pending, i).careful = TRUE;
  return !slow;
}

/* --- the stages --- */

static gboolean
share (Plain *plain, GError **error)
{
  Claim *claim = &plain->set.claim;
  replica_leave (plain->lane->worker.replica);
  for (guint i = 1; is_of_errands (plain) && i < plain->works->len; i++)
    lane_note_run (plain->set.service->lanes, plain->lanes[i],
                   g_array_index (plain->works, Work, i).run_id);
  if (!claim_runs (claim, plain->set.service, plain->set.pg, lane_job (plain->lane), plain->lane,
                   plain->works, error))
    return FALSE;
  if (is_of_errands (plain))
    return step_errands (plain, error);
  if (!look (plain, error))
    return FALSE;
  Step *const *looked = (Step *const *)plain->set.steps->pdata;
  for (guint i = 0; i < plain->set.steps->len; i++) {
    conclude_note_started (looked[i]);
    (void)pace_end (&looked[i], 1, looked[i]->began_us);
  }
  return step_heavy (plain, error) && settle (plain, error);
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
 * the next transaction takes as many as filled this one with rows, or little more than this one had
 * time for. It takes twice as many once all were done and there was room for more. */
static void
note_fits (const Plain *plain)
{
  const guint taken = plain->works->len, later = g_hash_table_size (plain->later);
  const gboolean full = plain->rows >= plain->most;
  guint *fits = &plain->lane->worker.fits;
  if (later > 0)
    *fits = (taken - later) + (full ? 0 : (taken - later) / 4 + 1);
  else if (taken >= *fits && !full)
    *fits = *fits < MOST_TAKEN ? 2 * *fits : 0;
}

static void
conclude (Plain *plain)
{
  const Claim *claim = &plain->set.claim;
  if (is_of_errands (plain)) {
    conclude_errands (plain);
    return;
  }
  conclude_note_stale (plain->set.service, plain->lane,
                       plain->works->len - claim->runs->len - claim->waits
                           - g_hash_table_size (claim->locked));
  plain->lane->worker.heavy = are_heavy (plain->set.steps);
  conclude_steps (plain->set.service, plain->lane, plain->set.steps, &plain->set.bundle);
  note_fits (plain);
  remove_handled (plain);
}

gboolean
plain_run (Service *service, Pg *pg, Lane *const *lanes, const GArray *works, GError **error)
{
  Lane *lane = lanes[0];
  g_autoptr (GHashTable) heavy = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) later = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) offered = g_hash_table_new (g_str_hash, g_str_equal);
  Plain plain = { .lanes = lanes,
                  .lane = lane,
                  .works = works,
                  .heavy = heavy,
                  .most = limits_shared_rows (lane->job),
                  .later = later,
                  .offered = offered,
                  .began_us = clock_monotonic_us () };
  step_set_init (&plain.set, service, pg, lane->job);
  plain.set.pages = found_pages_new (plain.most);
  lane->worker.rests -= lane->worker.rests > 0;
  GError *cause = NULL;
  gboolean handled = share (&plain, &cause);
  if (handled)
    conclude (&plain);
  else {
    lane->worker.heavy = FALSE;
    handled = come_again (&plain, cause);
    step_set_roll_back (&plain.set);
    bisect_reset (lane->worker.bisect);
    if (handled)
      g_error_free (cause);
    else
      g_propagate_error (error, cause);
  }
  step_set_clear (&plain.set);
  return handled;
}
