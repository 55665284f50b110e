#include "base/plural.h"
#include "cli/commands.h"
#include "cli/runs/run_change.h"
#include "cli/runs/run_wait.h"
#include "engine/ledger/journal.h"
#include "engine/ledger/named_row.h"
#include "engine/work/on_failure.h"

static RunOptions options = { .step = -1, .rows = -1 };
static char *approved; /* the id of the run; as long as the process */

/* clang-format off */
#define FILTERS(what) \
    { "job", 0, 0, G_OPTION_ARG_STRING, &options.filter.job, "runs of this job", "J" }, \
    { "state", 0, 0, G_OPTION_ARG_STRING, &options.filter.state, "runs in this state, or blocked", "S" }, \
    { "error-class", 0, 0, G_OPTION_ARG_STRING, &options.filter.error_class, "runs whose last error is of this class, like 23503", "C" }, \
    { "since", 0, 0, G_OPTION_ARG_STRING, &options.filter.since, "runs created since then: -1d, 2026-11-21, ...", "T" }, \
    { "yes", 0, 0, G_OPTION_ARG_NONE, &options.yes, what " the runs of a filter without a question", NULL }
#define REASON { "reason", 0, 0, G_OPTION_ARG_STRING, &options.reason, "why; the journal keeps it", "TEXT" }
#define STEP { "step", 0, 0, G_OPTION_ARG_INT, &options.step, "only if the run is still at this step, as it was looked at", "N" }
/* clang-format on */

const GOptionEntry retry_options[]
    = { FILTERS ("retry"), REASON, STEP, { NULL } },
    discard_options[] = { FILTERS ("discard"), REASON, STEP, { NULL } },
    approve_options[]
    = { { "job", 0, 0, G_OPTION_ARG_STRING, &options.filter.job, "all held runs of this job", "J" },
        { "since", 0, 0, G_OPTION_ARG_STRING, &options.filter.since,
          "of them those created since then: -1d, 2026-11-21, ...", "T" },
        { "yes", 0, 0, G_OPTION_ARG_NONE, &options.yes,
          "approve the runs of a filter without a question", NULL },
        REASON,
        STEP,
        { "rows", 0, 0, G_OPTION_ARG_INT64, &options.rows,
          "only if the run is held with this count, as it was looked at", "N" },
        { "wait", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, run_wait_option,
          "wait until the run has ended, at most S seconds (default 600), and show it as "
          "`pruned runs ID` does; exit code as of `tick --wait`",
          "S" },
        { NULL } };

static gboolean
run_on (Pg *pg, const char *file, const char *run_id, const char *unique_key, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  pg_values_set (values, "unique_key", unique_key);
  g_autoptr (PgRows) rows = pg_run_file (pg, file, values, error);
  return rows != NULL;
}

/* Of a job that is not in force, too: its runs go on when it is back. */
static const Job *
job_of (const Cli *cli, const LockedRun *run)
{
  return jobs_find_loaded (cli->jobs, rows_text (run->row, 0, "job"));
}

/* A dead run has released its unique key. Builds it again, as its tick, event or parent did. */
static char *
unique_key_of (Cli *cli, const LockedRun *run)
{
  const Job *job = job_of (cli, run);
  g_autoptr (json_t) args = cell_from_text (CELL_JSON, rows_text (run->row, 0, "args"));
  if (job == NULL)
    return NULL;
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    if (event->key != NULL && json_object_get (args, event->key) != NULL)
      return job_expand_key (event->unique_key, args);
  }
  return job_expand_key (job->unique_key, args);
}

static ExitCode
say_holder (Cli *cli, Pg *pg, const char *unique_key, GError **error)
{
  pg_rollback (pg);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "unique_key", unique_key);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_holder.sql", values, NULL);
  gboolean known = rows != NULL && rows_count (rows) > 0;
  g_clear_error (error);
  return cli_fail (CODE_NOT_FOUND, error, "its unique key %s is taken by run %s", unique_key,
                   known ? rows_text (rows, 0, "run_id") : "(ended meanwhile: try again)");
}

/* No run begins before its time, neither after a back-off nor by a command. */
static gint64
earliest_of (Cli *cli, const LockedRun *run)
{
  const Job *job = job_of (cli, run);
  g_autoptr (json_t) args = cell_from_text (CELL_JSON, rows_text (run->row, 0, "args"));
  gint64 scheduled_at_us = rows_int (run->row, 0, "scheduled_at");
  return job != NULL ? run_earliest_us (job, scheduled_at_us, args) : scheduled_at_us;
}

static ExitCode
again (Cli *cli, Pg *pg, LockedRun *run, GError **error)
{
  const Job *job = jobs_find (cli->jobs, rows_text (run->row, 0, "job"));
  g_autofree char *unique_key = unique_key_of (cli, run);
  if (run->archived && !run_on (pg, "src/cli/runs/sql/run_unarchive.sql", run->run_id, NULL, error))
    return cli_pg_failed (pg, error);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  pg_values_set (values, "unique_key", unique_key);
  pg_values_set (values, "sent", run->sender != NULL ? "t" : "f");
  pg_values_time (values, "earliest", earliest_of (cli, run));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_again.sql", values, error);
  if (rows != NULL && job != NULL && g_str_equal (rows_text (rows, 0, "state"), "ready"))
    run->ready = run_from_row (job, rows, 0);
  if (rows != NULL)
    return CODE_OK;
  return g_str_equal (pg_sqlstate (pg), "23505") ? say_holder (cli, pg, unique_key, error)
                                                 : cli_pg_failed (pg, error);
}

static ExitCode
bring_forward (Cli *cli, Pg *pg, const LockedRun *run, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  pg_values_time (values, "earliest", earliest_of (cli, run));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_now.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (rows_count (rows) > 0)
    return CODE_OK;
  gboolean pauses = rows_int (run->row, 0, "step") > 0;
  return cli_usage (
      error,
      "run %s is %s, %s UTC: only a run that waits for a retry, or is blocked, can be brought forward",
      run->run_id, pauses ? "waiting for its next page" : "waiting for its time",
      rows_text (run->row, 0, "due_at"));
}

static ExitCode
retry (Cli *cli, Pg *pg, LockedRun *run, GError **error)
{
  const char *state = rows_text (run->row, 0, "state");
  gboolean blocked = g_str_equal (state, "finished")
                     && g_strcmp0 (rows_text (run->row, 0, "status"), "blocked") == 0;
  if (g_str_equal (state, "dead") || blocked)
    return again (cli, pg, run, error);
  if (!g_str_equal (state, "waiting"))
    return cli_usage (error, "run %s is %s: only a dead, blocked or waiting run can be retried%s",
                      run->run_id, state,
                      g_str_equal (state, "held") ? "; pruned approve lets a held one go" : "");
  return bring_forward (cli, pg, run, error);
}

/* The run keeps the version of its job that it was counted with. */
static void
say_other_version (const Job *job, const LockedRun *run)
{
  const char *counted = rows_text (run->row, 0, "counted_version");
  if (job != NULL && job->version != NULL && counted != NULL
      && !g_str_equal (counted, job->version))
    log_warning ("The job has changed since the run was counted: it goes on as it was then", "job",
                 job->name, "run_id", run->run_id, "remedy",
                 "for the job as it is now: pruned discard, then pruned tick");
}

/* Who approves, and whether they may: run_persons.sql. */
static PgRows *
ask_persons (const Cli *cli, Pg *pg, const Job *job, const LockedRun *run, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  pg_values_set (values, "person", journal_person ());
  pg_values_set (values, "page", JOURNAL_PAGE);
  pg_values_int (values, "approvals",
                 job != NULL ? config_job_int (cli->config, job->name, "approvals") : 1);
  return pg_run_file (pg, "src/cli/runs/sql/run_persons.sql", values, error);
}

/* The run stays held until another person has approved it. */
static ExitCode
approve_one (Pg *pg, LockedRun *run, const PgRows *persons, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  pg_values_set (values, "person", rows_text (persons, 0, "person"));
  pg_values_set (values, "needed", rows_text (persons, 0, "needed"));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_approve_one.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  run->told
      = g_strdup_printf ("%s%s1 of %s approvals", options.reason != NULL ? options.reason : "",
                         options.reason != NULL ? "; " : "", rows_text (persons, 0, "needed"));
  return CODE_OK;
}

static ExitCode
approve_last (Cli *cli, Pg *pg, const Job *job, LockedRun *run, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  pg_values_set (values, "reason", options.reason);
  pg_values_set (values, "sent", run->sender != NULL ? "t" : "f");
  pg_values_time (values, "earliest", earliest_of (cli, run));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_approve.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  say_other_version (job, run);
  if (job != NULL && g_str_equal (rows_text (rows, 0, "state"), "ready"))
    run->ready = run_from_row (job, rows, 0);
  run->told
      = g_strdup_printf ("%s%sup to %s %s", options.reason != NULL ? options.reason : "",
                         options.reason != NULL ? "; " : "", rows_text (rows, 0, "approved_rows"),
                         plural (rows_int (rows, 0, "approved_rows"), "row", "rows"));
  return CODE_OK;
}

static ExitCode
approve (Cli *cli, Pg *pg, LockedRun *run, GError **error)
{
  const Job *job = jobs_find (cli->jobs, rows_text (run->row, 0, "job"));
  const char *state = rows_text (run->row, 0, "state");
  g_free (approved);
  approved = g_strdup (run->run_id);
  if (!g_str_equal (state, "held")) {
    run->unchanged = TRUE;
    /* Twice is no error, unless it was discarded, or has died, meanwhile. Who waits is told. */
    return rows_bool (run->row, 0, "approved") && !g_str_equal (state, "skipped")
                   && (run_wait_s >= 0 || !g_str_equal (state, "dead"))
               ? CODE_OK
               : cli_usage (error, "run %s is %s: only a held run can be approved", run->run_id,
                            state);
  }
  g_autoptr (PgRows) persons = ask_persons (cli, pg, job, run, error);
  if (persons == NULL)
    return cli_pg_failed (pg, error);
  const gint64 needed = rows_int (persons, 0, "needed");
  const char *but = rows_text (persons, 0, "but");
  if (needed > 1 && but != NULL)
    return cli_usage (error,
                      "run %s needs %" G_GINT64_FORMAT " persons, and %s %s: another must "
                      "approve it",
                      run->run_id, needed, rows_text (persons, 0, "person"), but);
  return rows_int (persons, 0, "given") + 1 < needed ? approve_one (pg, run, persons, error)
                                                     : approve_last (cli, pg, job, run, error);
}

/* Who has named a row by an event is told that it was not processed. */
static gboolean
answer_event (Cli *cli, Pg *pg, const LockedRun *locked, GError **error)
{
  const NamedEnd end = { "discarded", "failed", "discarded" };
  return named_row_leave_of (pg, cli->jobs, locked->row, 0,
                             config_text (cli->config, "topics", "prefix"), end, error);
}

/* As if the run had failed for good, unless it has. */
static gboolean
end_as_failed (Cli *cli, Pg *pg, const LockedRun *locked, GError **error)
{
  const Job *job = job_of (cli, locked);
  if (job == NULL || locked->archived || g_str_equal (rows_text (locked->row, 0, "state"), "dead"))
    return TRUE;
  g_autoptr (json_t) args = cell_from_text (CELL_JSON, rows_text (locked->row, 0, "args"));
  Run run = { .run_id = (char *)locked->run_id,
              .job = job,
              .step = (int)rows_int (locked->row, 0, "step"),
              .scheduled_at_us = rows_int (locked->row, 0, "scheduled_at"),
              .args = args };
  g_autoptr (Step) step
      = step_new (pg, &run, config_text (cli->config, "topics", "prefix"), NULL, NULL);
  return on_failure_end (step, "skipped", "discarded", error);
}

static ExitCode
discard (Cli *cli, Pg *pg, LockedRun *run, GError **error)
{
  const char *state = rows_text (run->row, 0, "state");
  if (g_str_equal (state, "finished") || g_str_equal (state, "skipped"))
    return cli_usage (error, "run %s is %s: it has ended", run->run_id, state);
  if (!answer_event (cli, pg, run, error) || !end_as_failed (cli, pg, run, error))
    return cli_pg_failed (pg, error);
  const char *file = run->archived ? "src/cli/runs/sql/run_discard_archived.sql"
                                   : "src/cli/runs/sql/run_discard.sql";
  return run_on (pg, file, run->run_id, NULL, error) ? CODE_OK : cli_pg_failed (pg, error);
}

ExitCode
command_retry (Cli *cli, GError **error)
{
  static const RunDeed deed = { RUN_CHOICE_RETRY, retry, .again = TRUE };
  return run_change (cli, &deed, &options, error);
}

ExitCode
command_approve (Cli *cli, GError **error)
{
  static const RunDeed deed = { "approve", approve, .again = TRUE };
  if (run_wait_s >= 0 && options.filter.job != NULL)
    return cli_usage (error, "--wait: it waits for one run, and not for those of a filter");
  if (cli->n_arguments > 1 || (options.filter.since != NULL && options.filter.job == NULL))
    return cli_usage (error, "one run, or --job with the held runs of one job");
  if (options.filter.job != NULL)
    options.filter.state = (char *)"held";
  ExitCode code = run_change (cli, &deed, &options, error);
  return code == CODE_OK && run_wait_s >= 0 ? run_wait (cli, approved, error) : code;
}

ExitCode
command_discard (Cli *cli, GError **error)
{
  static const RunDeed deed = { "discard", discard };
  return run_change (cli, &deed, &options, error);
}
