#include "engine/work/bad_rows.h"

#include "engine/job/in_force.h"
#include "engine/lane/outage.h"
#include "engine/lane/sending.h"
#include "engine/outbox/publish.h"
#include "engine/step/pace.h"
#include "engine/service/stats.h"
#include "engine/work/on_failure.h"

#define SQL "src/engine/work/sql/"
#define OUT_OF_BOUNDS "23514" /* as if the constraint runs_bounds had refused the row */

/* A missing table or right (class 42) is a fault of the installation and not of a row. */
static gboolean
is_about_rows (const GError *error)
{
  return error->code == PRUNED_DATA;
}

/* Stores the outcomes of those of ROWS that are dead. */
static gboolean
store_outcomes (Service *service, Pg *pg, const PgRows *rows, const char *class, Bundle *bundle,
                GError **error)
{
  for (int i = 0; i < rows_count (rows); i++) {
    const Job *job = jobs_find (in_force_jobs (), rows_text (rows, i, "job"));
    if (job == NULL || !rows_bool (rows, i, "died"))
      continue;
    g_autoptr (Run) run = run_from_row (job, rows, i);
    g_autoptr (Step) step = step_new (pg, run, service->prefix, NULL, bundle);
    if (bundle_size (bundle) == 0)
      bundle_belongs (bundle, run->run_id, run->step, job->name, run->slot);
    step_add_dead (step, "{\"status\":\"failed\"}", class, run->error);
    if (!on_failure_end (step, "dead", run->error, error))
      return FALSE;
  }
  return bundle_size (bundle) == 0 || publisher_store (service->publisher, pg, bundle, error);
}

static void
log_changed (const PgRows *rows, const char *class)
{
  for (int i = 0; i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job"), *run_id = rows_text (rows, i, "run_id"),
               *why = rows_text (rows, i, "error");
    gboolean died = rows_bool (rows, i, "died");
    log_error (died ? "Run is dead" : "A statement failed because of this run's row", "job", job,
               "run_id", run_id, "error_class", class, "error", why);
    if (died)
      stats_add (STATS_RUNS, job, "dead", 1);
  }
}

/* Runs FILE in a transaction of its own, which ends without a commit if no row was changed. *N: how
 * many rows it changed. */
static gboolean
change (Service *service, Pg *pg, const char *file, const PgValues *values, Bundle *bundle,
        guint *n, GError **error)
{
  Transaction transaction = { 0 };
  gboolean begun = transaction_begin (&transaction, service->publisher, pg, error)
                   && transaction_flush (&transaction, error);
  g_autoptr (PgRows) rows = begun ? pg_run_file (pg, file, values, error) : NULL;
  *n = rows != NULL ? (guint)rows_count (rows) : 0;
  const char *class = pg_values_get (values, "error_class");
  if (*n > 0 && store_outcomes (service, pg, rows, class, bundle, error)
      && transaction_commit (&transaction, error)) {
    log_changed (rows, class);
    return TRUE;
  }
  transaction_rollback (&transaction);
  publisher_abandon (service->publisher, bundle);
  return rows != NULL && *n == 0;
}

static gboolean
settle (Service *service, Pg *pg, const Job *job, const Work *work, const GError *cause,
        Bundle *bundle, GError **error)
{
  guint n = 0;
  g_autofree char *sqlstate = g_strdup (pg_sqlstate (pg)); /* of CAUSE */
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", work->run_id);
  pg_values_set (values, "error_class", OUT_OF_BOUNDS);
  if (!change (service, pg, SQL "out_of_bounds.sql", values, bundle, &n, error) || n > 0)
    return n > 0;
  pg_values_int (values, "step", work->step);
  pg_values_int (values, "attempt", work->attempt);
  pg_values_int (values, "max_attempts", in_force_of (job)->max_attempts);
  pg_values_int (values, "delay_ms", pace_back_off_ms (work->attempt));
  pg_values_set (values, "error", cause->message);
  pg_values_set (values, "error_class", *sqlstate != '\0' ? sqlstate : "data");
  return change (service, pg, SQL "charge.sql", values, bundle, &n, error);
}

LaneNext
bad_rows_answer (Service *service, Lane *lane, Pg *pg, const Work *work, const GError *cause)
{
  if (!is_about_rows (cause))
    return outage_hold (service, lane, cause);
  g_autoptr (Bundle) bundle = bundle_new (work->run_id, work->step, lane->job->name, 0);
  g_autoptr (GError) error = NULL;
  if (!settle (service, pg, lane->job, work, cause, bundle, &error))
    return outage_hold (service, lane, error);
  wake_in (service->wake, 0);
  if (bundle_size (bundle) > 0)
    sending_finish (service, lane, bundle);
  return LANE_DONE;
}

/* Brings rows inside their bounds. *N: how many were outside. */
static gboolean
bring_inside (Service *service, Pg *pg, guint *n, GError **error)
{
  g_autoptr (Bundle) bundle = bundle_new_of_no_run ();
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", NULL);
  pg_values_set (values, "error_class", OUT_OF_BOUNDS);
  if (!change (service, pg, SQL "out_of_bounds.sql", values, bundle, n, error))
    return FALSE;
  if (bundle_size (bundle) == 0 || publisher_send (service->publisher, bundle, error))
    return TRUE;
  publisher_abandon (service->publisher, bundle); /* the outbox has it */
  return FALSE;
}

gboolean
bad_rows_end_all (Service *service, Pg *pg, GError **error)
{
  guint n = 0;
  do
    if (!bring_inside (service, pg, &n, error))
      return FALSE;
  while (n > 0);
  return TRUE;
}

gboolean
bad_rows_end_found (Service *service, Pg *pg, GError **error)
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
