#include "cli/commands.h"
#include "cli/holds/holds.h"
#include "engine/view/view.h"

static gboolean each;

const GOptionEntry holds_options[]
    = { { "rows", 0, 0, G_OPTION_ARG_NONE, &each, "each row", NULL }, { NULL } };

ExitCode
command_holds (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  const ViewId view = each ? VIEW_HELD_ROWS : VIEW_HOLDS;
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error) ? view_ask (pg, view, NULL, error) : NULL;
  pg_rollback (pg);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  output_table (cli->out, view_columns (view));
  output_rows (cli->out, rows);
  output_end_list (cli->out, "No row is held.");
  return CODE_OK;
}
