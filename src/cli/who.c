/* `pruned who`: what the audit has of a row and of rows that name it. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "engine/view/row/row_who.h"

static gint64 limit = ROW_WHO_LIMIT;
static gboolean all;

const GOptionEntry who_options[]
    = { { "limit", 0, 0, G_OPTION_ARG_INT64, &limit, "at most this number of rows (default 1000)",
          "N" },
        { "all", 0, 0, G_OPTION_ARG_NONE, &all,
          "also rows that name the row and went in other runs: reads the whole audit", NULL },
        { NULL } };

const char who_more[]
    = "KEY is the primary key, as PostgreSQL reads its type, a text as it stands; or a JSON object of its columns. Rows that name a user are shown as "
      "well, and those that name the row and went in the same run; with --all, those of every run. Each has the command that puts back just this row.";

/* For people: a line, the row as it was, and the command. */
static void
say (Cli *cli, const RowFound *found)
{
  Output *out = cli->out;
  const PgRows *rows = found->rows;
  const int row = found->row;
  g_autofree char *reason = row_who_reason (cli->jobs, found),
                  *restore = row_who_restore (found, TRUE);
  const char *job = rows_text (rows, row, "job"), *was = rows_text (rows, row, "row");
  g_autofree char *item
      = item_argument (rows_text (rows, row, "table_name"), rows_text (rows, row, "typed"), TRUE);
  output_line (out, "%.19s  %s %s", rows_text (rows, row, "at"), item,
               rows_text (rows, row, "action"));
  if (job != NULL)
    output_line (out, "  by     %s (%s), T %.19s", job, reason != NULL ? reason : "an unknown rule",
                 rows_text (rows, row, "scheduled_at"));
  output_line (out, "  run    %s", rows_text (rows, row, "run_id"));
  if (rows_text (rows, row, "erasure") != NULL)
    output_line (out, "  of     erasure %s, run %s", rows_text (rows, row, "erasure"),
                 rows_text (rows, row, "erasure_run"));
  if (was != NULL)
    output_line (out, "  row    %s", was);
  if (restore != NULL)
    output_line (out, "  back   %s", restore);
  if (rows_text (rows, row, "restored_at") != NULL)
    output_line (out, "  then   a restore of it or of its run, %.19s",
                 rows_text (rows, row, "restored_at"));
}

static void
show (Cli *cli, const RowFound *found, gboolean first)
{
  if (output_is_json (cli->out)) {
    output_cells (cli->out, row_who_cells (cli->jobs, found));
    return;
  }
  if (!first)
    output_say (cli->out, "%s", "");
  say (cli, found);
}

ExitCode
command_who (Cli *cli, GError **error)
{
  g_auto (Item) item = { 0 };
  g_auto (RowWho) who = { 0 };
  if (limit < 1)
    return cli_usage (error, "--limit: at least 1");
  if (!item_parse (cli->arguments[0], &item, error))
    return CODE_USAGE;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  const ItemEnd end = item_check (&item, cli->jobs, pg, FALSE, error);
  if (end != ITEM_READ)
    return cli_row_end (end, pg, error);
  if (!row_who_ask (&who, pg, cli->config, &item, limit, all, error))
    return cli_pg_failed (pg, error);
  output_table (cli->out, row_who_columns ());
  for (guint i = 0; i < who.found->len; i++)
    show (cli, &g_array_index (who.found, RowFound, i), i == 0);
  output_end (cli->out);
  if (who.found->len == 0)
    return cli_fail (
        CODE_NOT_FOUND, error,
        "nothing is recorded of %s%s: within [audit] keep_days no run removed it, or its "
        "record was forgotten; what others remove is not known here%s",
        cli->arguments[0], all ? ", nor of rows that name it" : "",
        all ? "" : ". Rows that name it and that other runs removed: --all");
  if (!all)
    output_hint (cli->out, "Rows that name it and that other runs removed: --all finds all.");
  return CODE_OK;
}
