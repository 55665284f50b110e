/* `pruned names`: what a shell offers where a job, a run or a table is expected. */
#include "cli/cli.h"
#include "cli/commands.h"

const char names_more[] = "Jobs are those in force; runs the newest hundred; tables those of the "
                          "application. The completions of bash, zsh and fish ask it.";

static const Column COLUMNS[] = { { "name" }, { NULL } };

static void
show_jobs (const Cli *cli)
{
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    output_row (cli->out, json_string (jobs_at (cli->jobs, i)->name));
  cli_end_jobs (cli->out);
}

static ExitCode
show_rows (Cli *cli, const char *file, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows = pg_begin (pg, error) ? pg_run_file (pg, file, NULL, error) : NULL;
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  output_table (cli->out, COLUMNS);
  output_rows (cli->out, rows);
  output_end_list (cli->out, "There is none.");
  return CODE_OK;
}

ExitCode
command_names (Cli *cli, GError **error)
{
  const char *what = cli->arguments[0];
  if (g_str_equal (what, "runs"))
    return show_rows (cli, "src/cli/sql/names_runs.sql", error);
  if (g_str_equal (what, "tables"))
    return show_rows (cli, "src/cli/sql/new_tables.sql", error);
  if (!g_str_equal (what, "jobs"))
    return cli_usage (error, "names: expected 'jobs', 'runs' or 'tables', not '%s'", what);
  show_jobs (cli);
  return CODE_OK;
}
