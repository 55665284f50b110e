#include "cli/cli.h"
#include "cli/commands.h"
#include "engine/clock/processes.h"
#include "engine/view/view.h"

ExitCode
command_processes (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  g_autoptr (PgRows) rows
      = pg_begin (pg, error) ? view_ask (pg, VIEW_PROCESSES, values, error) : NULL;
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  output_table (cli->out, view_columns (VIEW_PROCESSES));
  output_rows (cli->out, rows);
  output_end_list (cli->out, "no process runs");
  for (int i = 0; i < rows_count (rows); i++)
    if (rows_text (rows, i, "differing") != NULL) {
      output_hint (cli->out,
                   "\nProcesses have different jobs or settings; to load them everywhere: "
                   "pruned reload (the log names what needs a restart)");
      break;
    }
  return CODE_OK;
}
