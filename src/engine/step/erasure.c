#include "engine/step/erasure.h"

#include "engine/job/in_force.h"
#include "engine/job/job_erasure.h"
#include "engine/job/sentence/complete.h"
#include "engine/ledger/erasure_end.h"
#include "engine/step/erasure_tables.h"
#include "engine/step/row_again.h"

#define LOOK "src/engine/step/sql/erasure_look.sql"
#define AGAIN_MS (10 * 60 * 1000) /* it is woken before */

/* --- may it begin? --- */

/* Why JOB, which is called NAME, cannot do its part now; NULL: it can. */
static gboolean
find_obstacle (Step *step, const char *name, char **why, GError **error)
{
  const Jobs *jobs = in_force_jobs ();
  const Job *job = jobs_find (jobs, name);
  const JobRefused *refused = job == NULL ? jobs_refused_find (jobs, name) : NULL;
  g_autofree char *refusal = NULL;
  if (refused != NULL)
    *why = g_strdup_printf ("%s is refused: %s: %s", name, refused->place, refused->reason);
  else if (job == NULL)
    *why = g_strdup_printf ("%s is no job of this process", name);
  else if (!in_force_of (job)->enabled)
    *why = g_strdup_printf ("%s is switched off (enabled = false)", name);
  else if (job_complete (step->pg, job, &refusal, error) == NULL) {
    if (refusal == NULL)
      return FALSE;
    *why = g_strdup_printf ("%s: %s", name, refusal);
  }
  return TRUE;
}

/* Nothing has begun yet. */
static gboolean
all_can_begin (Step *step, const SentenceEvent *erasure, GError **error)
{
  for (char **job = erasure->jobs; *job != NULL; job++) {
    g_autofree char *why = NULL;
    if (!find_obstacle (step, *job, &why, error))
      return FALSE;
    if (why != NULL)
      return step_block (step, error, "%s", why);
  }
  return TRUE;
}

/* --- its runs --- */

static PgRows *
look (Step *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_time (values, "scheduled_at", step->run->scheduled_at_us);
  return pg_run_file (step->pg, LOOK, values, error);
}

/* The first that has not begun; NULL: all have. *BEGUN: how many have. RUNS can have more, of jobs
 * that were asked before the list became another one. */
static const SentenceEvent *
next_of (const SentenceEvent *erasure, const PgRows *runs, int *begun)
{
  g_autoptr (GHashTable) known = rows_index (runs, "job");
  const SentenceEvent *next = NULL;
  *begun = 0;
  for (guint i = 0; i < erasure->parts->len; i++) {
    const SentenceEvent *part = erasure->parts->pdata[i];
    if (g_hash_table_contains (known, part->of))
      (*begun)++;
    else if (next == NULL)
      next = part;
  }
  return next;
}

/* All of RUNS have what COLUMN says. */
static gboolean
all_are (const PgRows *runs, const char *column)
{
  gboolean all = TRUE;
  for (int i = 0; all && i < rows_count (runs); i++)
    all = rows_bool (runs, i, column);
  return all;
}

static gboolean
all_are_settled (const PgRows *runs)
{
  gboolean all = TRUE;
  for (int i = 0; all && i < rows_count (runs); i++)
    all = rows_bool (runs, i, "ended") || rows_text (runs, i, "parked") != NULL;
  return all;
}

static void
wait_for_runs (Step *step, const SentenceEvent *erasure, int begun)
{
  step_continue (step, json_pack ("{s:i, s:i}", "begun", begun, "of", (int)erasure->parts->len), 0);
  row_again_wait_for (step, STEP_WAITS_FOR_RUNS, NULL, AGAIN_MS);
}

static gboolean
begin_part (Step *step, const SentenceEvent *part, GError **error)
{
  const json_t *args = step->run->args;
  json_t *own = job_erasure_args (part, json_object_get (args, JOB_ERASURE_VALUES));
  const guint before = step->children->len;
  if (own == NULL)
    return step_fail (step, error, PRUNED_REJECT,
                      "%s names its rows by another path since the event was read: discard this"
                      " run, and send the event again",
                      part->of);
  step_child (step, part->of, own, json_string_value (json_object_get (args, JOB_EVENT_KEY)), NULL,
              0);
  if (step->children->len == before) /* steps_settle says why */
    return TRUE;
  RunSpec *child = &g_array_index (step->children, RunSpec, before);
  child->named_table = g_strdup (child->job->table);
  return TRUE;
}

/* --- its end --- */

static gboolean
end (Step *step, const SentenceEvent *erasure, const PgRows *runs)
{
  g_auto (ErasureTables) tables = { 0 };
  erasure_tables_read (&tables, erasure, runs);
  const ErasureEnd told = { .what = tables.failed != NULL ? ERASURE_FAILED
                                    : tables.planned      ? ERASURE_PLANNED
                                                          : ERASURE_FINISHED,
                            .reason = tables.failed,
                            .tables = tables.list };
  erasure_tables_count (&tables, step);
  step->dead_of = g_strdup (tables.failed);
  erasure_end_tell (step->bundle, step->run, step->prefix, &told);
  if (tables.failed != NULL)
    step_log (step, LOG_ERROR, "The erasure has failed",
              json_pack ("{s:O, s:s}", "tables", tables.list, "error", tables.failed));
  else
    step_log (step, LOG_INFO, "The erasure is finished",
              json_pack ("{s:O, s:s}", "tables", tables.list, "what", told.what));
  return TRUE;
}

gboolean
erasure_step (Step *step, GError **error)
{
  const SentenceEvent *erasure = job_erasure (step->job);
  g_autoptr (PgRows) runs = look (step, error);
  if (runs == NULL)
    return FALSE;
  int begun;
  const SentenceEvent *next = next_of (erasure, runs, &begun);
  if (rows_count (runs) == 0 && !all_can_begin (step, erasure, error))
    return FALSE;
  if (next == NULL && all_are_settled (runs))
    return end (step, erasure, runs);
  const gboolean begins = next != NULL && all_are (runs, "tried");
  wait_for_runs (step, erasure, begun + begins);
  return !begins || begin_part (step, next, error);
}
