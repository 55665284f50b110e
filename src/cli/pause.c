#include "cli/cli.h"
#include "cli/commands.h"

static const Column COLUMNS[] = { { "job" }, { "paused", CELL_BOOL }, { NULL } };

static ExitCode
set_paused (Cli *cli, gboolean paused, GError **error)
{
  const Job *job = cli_job (cli, cli->arguments[0], error);
  if (job == NULL)
    return CODE_NOT_FOUND;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  pg_values_set (values, "paused", paused ? "true" : "false");
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/pause.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  output_table (cli->out, COLUMNS);
  output_row (cli->out, json_string (job->name), json_boolean (paused));
  return CODE_OK;
}

ExitCode
command_pause (Cli *cli, GError **error)
{
  return set_paused (cli, TRUE, error);
}

ExitCode
command_resume (Cli *cli, GError **error)
{
  return set_paused (cli, FALSE, error);
}
