#include "base/clock.h"
#include "engine/step/pace.h"
#include "engine/work/at_once.h"
#include "engine/work/run_step.h"
#include "engine/work/shareable.h"
#include "engine/work/together_private.h"

#define SQL "src/engine/work/sql/"
#define ENOUGH_US (100 * G_TIME_SPAN_MILLISECOND) /* no further run is begun after that */
#define LATE_US G_USEC_PER_SEC                    /* and no first one after that */

/* The run of message I, if it has rows and was not stepped yet; NULL: not so. */
static Run *
heavy_at (const Together *together, guint i)
{
  return g_hash_table_lookup (together->heavy, g_array_index (together->works, Work, i).run_id);
}

static gboolean
is_enough (const Together *together)
{
  return together->rows > 0
         && (together->rows >= together->most || together->defers
             || clock_monotonic_us () - together->began_us >= ENOUGH_US
             || atomic_load (&together->set.service->shared.stopped)
             || lane_should_yield (together->set.service->lanes, together->lane));
}

/* How many runs are done as one from here on, at most; 0: none. */
static guint
wanted_at_once (const Together *together)
{
  gboolean room
      = together->works->len > 1 && together->most - together->rows > 1 && !together->stirs;
  return room ? at_once_wanted (together->lane) : 0;
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
ask_triggers (Together *together, GError **error)
{
  if (together->asked || (together->rows == 0 && wanted_at_once (together) == 0))
    return TRUE;
  const Job *job = together->lane->job;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", job->table);
  g_autoptr (PgRows) rows = pg_run_file (together->set.pg, SQL "defers.sql", values, error);
  together->asked = rows != NULL;
  together->defers = rows != NULL && rows_bool (rows, 0, "defers");
  together->stirs = rows != NULL && rows_bool (rows, 0, "stirs") && relies_on_file (job);
  return rows != NULL;
}

/* --- their steps --- */

/* One step of RUN behind the step BEFORE, which is NULL for its first. NULL: it has failed. */
static Step *
step_once (Together *together, Run *run, Step *before, GError **error)
{
  Step *step = step_set_make (&together->set, together->lane, run, before, TRUE);
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
  g_ptr_array_add (together->set.steps, step);
  return step;
}

/* Whether the run takes its next step in this transaction as well. A trigger that waits for the end
 * of the transaction is to come between the two. */
static gboolean
goes_on (const Together *together, Step *step)
{
  if (!step->may_follow || !step->continues || step->next_delay_ms > 0 || is_enough (together))
    return FALSE;
  pace_continue (step);
  return step->next.limit == 0;
}

static gboolean
step_shared (Together *together, Run *run, GError **error)
{
  Step *step = step_once (together, run, NULL, error);
  while (step != NULL) {
    if (step->may_follow && !ask_triggers (together, error))
      return FALSE;
    if (!goes_on (together, step))
      break;
    Run *next = step_next_run (step);
    g_ptr_array_add (together->set.next, next);
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
  guint wanted = together->defers ? 0 : wanted_at_once (together);
  for (guint i = from; i < together->works->len && runs->len < wanted; i++) {
    Run *run = heavy_at (together, i);
    const Pending *message = &g_array_index (together->lane->worker.pending, Pending, i);
    const Run *first = runs->len > 0 ? runs->pdata[0] : run;
    if (run != NULL && !message->apart && run->job == first->job && shareable_run (run)
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
  guint before = together->set.steps->len;
  AtOnce all = { .set = &together->set,
                 .lane = together->lane,
                 .runs = runs,
                 .most = together->most - together->rows };
  together->at_once = TRUE;
  if (!at_once_run (&all, error)) {
    together->at_fault = all.at_fault;
    return FALSE;
  }
  together->at_once = FALSE;
  for (guint i = before; i < together->set.steps->len; i++) {
    const Step *step = together->set.steps->pdata[i];
    together->rows += step->before != NULL ? step->rows : MAX (1, step->rows);
    g_hash_table_remove (together->heavy, step->run->run_id);
  }
  return TRUE;
}

gboolean
together_step_heavy (Together *together, GError **error)
{
  for (guint i = 0; i < together->works->len; i++) {
    Run *run = heavy_at (together, i);
    gboolean late = together->rows == 0 && clock_monotonic_us () - together->began_us >= LATE_US;
    if (run == NULL || late || !shareable_run (run))
      continue;
    if (!ask_triggers (together, error))
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
