#include "cli/commands.h"
#include "cli/holds/holds.h"

#define SQL "src/cli/holds/sql/"

static gboolean each;

const GOptionEntry holds_options[]
    = { { "rows", 0, 0, G_OPTION_ARG_NONE, &each, "each row", NULL }, { NULL } };

static const Column COLUMNS[] = { { "hold_id" },
                                  { "kind" },
                                  { "tables" },
                                  { "rows", CELL_NUMBER },
                                  { "state" },
                                  { "until", CELL_TIME },
                                  { "at", CELL_TIME, .roomy = TRUE },
                                  { "who", .roomy = TRUE },
                                  { "job", .roomy = TRUE },
                                  { "reason" },
                                  { NULL } };
static const Column ROWS[]
    = { { "row" },    { "hold_id" }, { "kind" }, { "state" }, { "until", CELL_TIME },
        { "reason" }, { NULL } };

ExitCode
command_holds (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error)
            ? pg_run_file (pg, each ? SQL "rows.sql" : SQL "list.sql", NULL, error)
            : NULL;
  pg_rollback (pg);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  output_table (cli->out, each ? ROWS : COLUMNS);
  output_rows (cli->out, rows);
  output_end_list (cli->out, "No row is held.");
  return CODE_OK;
}
