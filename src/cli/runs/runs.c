#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/runs/run_page.h"
#include "cli/runs/run_row.h"
#include "cli/runs/runs_table.h"
#include "engine/view/view.h"

#define LIMIT 50

static char *job, *state, *since, *columns;
static gboolean children, wide;
static gint64 limit = LIMIT;

const GOptionEntry runs_options[] = {
  { "job", 0, 0, G_OPTION_ARG_STRING, &job, "only runs of this job", "J" },
  { "state", 0, 0, G_OPTION_ARG_STRING, &state, "only runs in this state, or blocked, or failed",
    "S" },
  { "since", 0, 0, G_OPTION_ARG_STRING, &since,
    "only runs created since then: -1d, 2026-11-21, ...", "T" },
  { "limit", 0, 0, G_OPTION_ARG_INT64, &limit, "at most this number of runs (default 50)", "N" },
  { "children", 0, 0, G_OPTION_ARG_NONE, &children,
    "the table lists runs that other runs have started, too (--json, --job and --state do)", NULL },
  { "columns", 0, 0, G_OPTION_ARG_STRING, &columns,
    "these columns of --json in the table: run_id,job,error", "C,..." },
  { "wide", 0, 0, G_OPTION_ARG_NONE, &wide, "whole ids and texts, whatever the terminal's width",
    NULL },
  { NULL }
};

static const char *const STATES[]
    = { "waiting", "ready", "held", "finished", "dead", "skipped", "blocked", "failed", NULL };

static gboolean
lists_parents (const Cli *cli)
{
  return !children && !output_is_json (cli->out) && job == NULL && state == NULL;
}

static ExitCode
runs_options_fit (Cli *cli, PgValues *values, GError **error)
{
  gint64 since_us;
  if (job != NULL && !job_left_known (cli, job, error))
    return CODE_NOT_FOUND;
  if (state != NULL && !g_strv_contains (STATES, state)) {
    arguments_set_unknown (error, "state", state, STATES);
    return CODE_USAGE;
  }
  if (since != NULL && !cli_time (since, &since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  if (limit < 1)
    return cli_usage (error, "--limit: at least 1");
  if (!runs_table_check (columns, error))
    return CODE_USAGE;
  pg_values_set (values, "job", job);
  pg_values_set (values, "state", state);
  pg_values_int (values, "limit", limit);
  pg_values_set (values, "archive_from", NULL);
  pg_values_set (values, "parents", lists_parents (cli) ? "true" : "false");
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
  g_autofree char *run_id = run_row_complete (pg, cli->arguments[0], &code, error);
  g_autoptr (PgRows) rows = run_id != NULL ? run_row_get (pg, run_id, &code, error) : NULL;
  return rows != NULL ? run_page_show (cli, pg, rows, error) : code;
}

static ExitCode
list (Cli *cli, Pg *pg, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin (pg, error))
    rows = view_ask (pg, VIEW_RUNS, values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  if (!output_is_json (cli->out))
    runs_table_show (cli->out, rows, columns, wide);
  else {
    output_table (cli->out, view_columns (VIEW_RUNS));
    output_rows (cli->out, rows);
  }
  output_end_list (cli->out, "No %s%srun%s%s%s.", state != NULL ? state : "",
                   state != NULL ? " " : "", job != NULL ? " of " : "", job != NULL ? job : "",
                   since != NULL ? " since then" : "");
  if (lists_parents (cli) && rows_count (rows) > 0)
    output_hint (cli->out, "\nRuns that these have started: --children. One run: pruned runs RUN");
  return CODE_OK;
}

ExitCode
command_runs (Cli *cli, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  ExitCode code = runs_options_fit (cli, values, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  return cli->n_arguments > 0 ? show_one (cli, pg, error) : list (cli, pg, values, error);
}
