#include "cli/commands.h"
#include "cli/holds/holds.h"
#include "engine/step/held.h"
#include "engine/view/view.h"

#define SAID 10 /* rows that are named */

static gboolean each;

const GOptionEntry holds_options[]
    = { { "rows", 0, 0, G_OPTION_ARG_NONE, &each, "each row", NULL }, { NULL } };

/* Rows that are held and are not there. */
static gboolean
say_lost (const Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgRows) lost = NULL;
  if (!held_lost (pg, &lost, error))
    return FALSE;
  for (int i = 0; lost != NULL && i < MIN (rows_count (lost), SAID); i++)
    output_say (cli->out,
                "%s is held, and there is no such row: others removed it, or gave it another key. "
                "Hold it by its key of now, then `pruned release '%s'`.",
                rows_text (lost, i, "item"), rows_text (lost, i, "item"));
  if (lost != NULL && rows_count (lost) > SAID)
    output_say (cli->out, "So are %d more.", rows_count (lost) - SAID);
  return TRUE;
}

ExitCode
command_holds (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  const ViewId view = each ? VIEW_HELD_ROWS : VIEW_HOLDS;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tables", NULL);
  pg_values_set (values, "limit", NULL);
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error) ? view_ask (pg, view, values, error) : NULL;
  pg_rollback (pg);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  output_table (cli->out, view_columns (view));
  output_rows (cli->out, rows);
  output_end_list (cli->out, "No row is held.");
  return say_lost (cli, pg, error) ? CODE_OK : cli_pg_failed (pg, error);
}
