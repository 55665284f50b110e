#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/run_row.h"

#define LIMIT 50

static char *job, *state, *since;
static gint64 limit = LIMIT;

const GOptionEntry runs_options[]
    = { { "job", 0, 0, G_OPTION_ARG_STRING, &job, "only this job's", "J" },
        { "state", 0, 0, G_OPTION_ARG_STRING, &state, "only those in this state, or blocked", "S" },
        { "since", 0, 0, G_OPTION_ARG_STRING, &since,
          "only those made since then: -1d, 2026-11-21, ...", "T" },
        { "limit", 0, 0, G_OPTION_ARG_INT64, &limit, "at most so many (default 50)", "N" },
        { NULL } };

static const char *const STATES[]
    = { "waiting", "ready", "held", "finished", "dead", "skipped", "blocked", NULL };

static ExitCode
check_options (Cli *cli, PgValues *values, GError **error)
{
  gint64 since_us;
  if (job != NULL && cli_job (cli, job, error) == NULL)
    return CODE_NOT_FOUND;
  if (state != NULL && !g_strv_contains (STATES, state)) {
    set_unknown (error, "state", state, STATES);
    return CODE_USAGE;
  }
  if (since != NULL && !cli_time (since, &since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  if (limit < 1)
    return cli_usage (error, "--limit: at least 1");
  pg_values_set (values, "job", job);
  pg_values_set (values, "state", state);
  pg_values_int (values, "limit", limit);
  if (since != NULL)
    pg_values_time (values, "since", since_us);
  else
    pg_values_set (values, "since", NULL);
  return CODE_OK;
}

static ExitCode
show_one (Cli *cli, Pg *pg, GError **error)
{
  ExitCode code;
  g_autoptr (PgRows) rows = run_row_get (pg, cli->arguments[0], &code, error);
  if (rows == NULL)
    return code;
  output_record (cli->out, RUN_COLUMNS, rows, 0);
  return CODE_OK;
}

static ExitCode
list (Cli *cli, Pg *pg, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin (pg, error))
    rows = pg_run_file (pg, "src/cli/sql/runs.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  output_table (cli->out, RUN_COLUMNS);
  output_rows (cli->out, rows);
  return CODE_OK;
}

ExitCode
command_runs (Cli *cli, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  ExitCode code = check_options (cli, values, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  return cli->n_arguments > 0 ? show_one (cli, pg, error) : list (cli, pg, values, error);
}
