#include "engine/work/amiss.h"

#include "engine/job/in_force.h"
#include "engine/lane/outage.h"
#include "engine/step/pace.h"
#include "engine/service/stats.h"
#include "engine/step/step.h"

#define SQL "src/engine/work/sql/"

/* What is missing (class 42) is the installation's, and mended for all runs at once. */
static gboolean
is_about_rows (const GError *error)
{
  return error->code == PRUNED_DATA;
}

/* What everybody is told of those of ROWS that are dead now. */
static gboolean
store_outcomes (Service *service, Pg *pg, const PgRows *rows, Bundle *bundle, GError **error)
{
  for (int i = 0; i < rows_count (rows); i++) {
    const Job *job = jobs_find (service->jobs, rows_text (rows, i, "job"));
    if (job == NULL || !rows_bool (rows, i, "died"))
      continue;
    Run *run = run_from_row (job, rows, i);
    g_autoptr (Step) step = step_new (pg, run, service->prefix, NULL, bundle);
    if (bundle_size (bundle) == 0)
      bundle_belongs (bundle, run->run_id, run->step, job->name, run->slot);
    step_add_run_finished (step, "dead", "{\"status\":\"failed\"}", run->error);
    run_free (run);
  }
  return bundle_size (bundle) == 0 || publisher_store (service->publisher, pg, bundle, error);
}

static void
say (const PgRows *rows)
{
  for (int i = 0; i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job"), *run_id = rows_text (rows, i, "run_id"),
               *why = rows_text (rows, i, "error");
    gboolean died = rows_bool (rows, i, "died");
    log_error (died ? "Run is dead" : "A statement fails about this run", "job", job, "run_id",
               run_id, "error", why);
    if (died)
      stats_add (STATS_RUNS, job, "dead", 1);
  }
}

/* One of the two statements, in a transaction of its own. *N: how many rows it changed. */
static gboolean
change (Service *service, Pg *pg, const char *file, const PgValues *values, Bundle *bundle,
        guint *n, GError **error)
{
  g_autoptr (PgRows) rows = pg_begin (pg, error) ? pg_run_file (pg, file, values, error) : NULL;
  if (rows == NULL || !store_outcomes (service, pg, rows, bundle, error)
      || !pg_commit (pg, error)) {
    pg_rollback (pg);
    publisher_abandon (service->publisher, bundle);
    return FALSE;
  }
  *n = (guint)rows_count (rows);
  say (rows);
  return TRUE;
}

static gboolean
settle (Service *service, Pg *pg, const Job *job, const Work *work, const char *why, Bundle *bundle,
        GError **error)
{
  guint n = 0;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", work->run_id);
  if (!change (service, pg, SQL "out_of_bounds.sql", values, bundle, &n, error) || n > 0)
    return n > 0;
  pg_values_int (values, "step", work->step);
  pg_values_int (values, "attempt", work->attempt);
  pg_values_int (values, "max_attempts", in_force_of (job)->max_attempts);
  pg_values_int (values, "delay_ms", pace_back_off_ms (work->attempt));
  pg_values_set (values, "error", why);
  return change (service, pg, SQL "charge.sql", values, bundle, &n, error);
}

Answer
amiss_answer (Service *service, Lane *lane, Pg *pg, const Work *work, const GError *cause)
{
  if (!is_about_rows (cause)) {
    outage_note (service, lane, cause);
    return ANSWER_HOLD;
  }
  g_autoptr (Bundle) bundle = bundle_new (work->run_id, work->step, lane->job->name, 0);
  g_autoptr (GError) error = NULL;
  if (!settle (service, pg, lane->job, work, cause->message, bundle, &error)) {
    outage_note (service, lane, error);
    return ANSWER_HOLD;
  }
  wake_in (service->wake, 0);
  if (bundle_size (bundle) > 0)
    outage_publish (service, lane, bundle);
  return ANSWER_HANDLED;
}

/* *N: how many rows were out of bounds. */
static gboolean
bring_inside (Service *service, Pg *pg, guint *n, GError **error)
{
  g_autoptr (Bundle) bundle = bundle_new ("", 0, "", 0);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", NULL);
  if (!change (service, pg, SQL "out_of_bounds.sql", values, bundle, n, error))
    return FALSE;
  if (bundle_size (bundle) == 0 || publisher_send (service->publisher, bundle, error))
    return TRUE;
  publisher_abandon (service->publisher, bundle); /* the outbox has it */
  return FALSE;
}

gboolean
amiss_look (Service *service, Pg *pg, GError **error)
{
  guint n = 0;
  do
    if (!bring_inside (service, pg, &n, error))
      return FALSE;
  while (n > 0);
  return TRUE;
}

gboolean
amiss_mend (Service *service, Pg *pg, GError **error)
{
  guint n = 0;
  if (!is_about_rows (*error))
    return FALSE;
  g_autoptr (GError) cause = g_steal_pointer (error);
  pg_rollback (pg);
  if (!bring_inside (service, pg, &n, error))
    return FALSE;
  if (n == 0)
    *error = g_steal_pointer (&cause);
  return n > 0;
}
