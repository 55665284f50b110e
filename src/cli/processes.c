#include "cli/cli.h"
#include "cli/commands.h"

static const Column COLUMNS[] = { { "host" },
                                  { "pid", CELL_NUMBER },
                                  { "version" },
                                  { "started_at", CELL_TIME },
                                  { "seen_at", CELL_TIME },
                                  { "settings" },
                                  { "partitions", CELL_NUMBER },
                                  { NULL } };

ExitCode
command_processes (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows
      = pg_begin (pg, error) ? pg_run_file (pg, "src/cli/sql/processes.sql", NULL, error) : NULL;
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  output_table (cli->out, COLUMNS);
  output_rows (cli->out, rows);
  return CODE_OK;
}
