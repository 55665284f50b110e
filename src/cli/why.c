/* `pruned why`: why a row is still there; of one that is gone, what `who` says. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/night_look.h"
#include "engine/view/row/row_why.h"

const char why_more[]
    = "KEY is as for `pruned who`. Each job whose rows are of the table is asked what a run of now would do with the row, in a "
      "read-only transaction and without locks: `due`, `not due` (and from when on, as the row is now), `kept`, `failing` or "
      "`held` (in quarantine), `named` (only an event that names the row takes it), or `unknown`: what a job written in C "
      "decides cannot be asked of a single row. What triggers and constraints refuse is not foreseen. Of a row that is gone it "
      "says what `pruned who` says.\n"
      "Exit code 6: there is no such row or table, and nothing is recorded of the row.";

/* A line for people with its commands, or a row of JSON. */
static void
show (Output *out, json_t *line)
{
  size_t at;
  json_t *command;
  const char *job = json_string_value (json_array_get (line, ROW_WHY_JOB));
  if (output_is_json (out)) {
    output_cells (out, json_incref (line));
    return;
  }
  output_line (out, "%s%s%s", job != NULL ? job : "", job != NULL ? ": " : "",
               json_string_value (json_array_get (line, ROW_WHY_SAYS)));
  json_array_foreach (json_array_get (line, ROW_WHY_COMMANDS), at, command)
    output_line (out, "  %s", json_string_value (command));
}

/* *GONE: it is not there; of the only row that is asked for, `who` says more. */
static ExitCode
ask_row (Cli *cli, const RowWhyOf *of, const char *given, gboolean *gone, GError **error)
{
  size_t at;
  json_t *line;
  g_auto (RowWhy) why = { 0 };
  const ItemEnd end = row_why_ask (&why, of, given, error);
  *gone = why.gone;
  if (!why.gone || cli->n_arguments > 1)
    json_array_foreach (why.lines, at, line)
      show (cli->out, line);
  return cli_row_end (end, of->pg, error);
}

static ExitCode
ask_all (Cli *cli, Pg *pg, gboolean *gone, GError **error)
{
  g_autoptr (PgRows) nights = night_look (cli, pg, NULL, error);
  const RowWhyOf of = { cli->jobs, pg, nights };
  if (nights == NULL)
    return cli_pg_failed (pg, error);
  for (guint i = 0; i < cli->n_arguments; i++) {
    if (cli->n_arguments > 1)
      output_line (cli->out, "%s%s", i > 0 ? "\n" : "", cli->arguments[i]);
    const ExitCode code = ask_row (cli, &of, cli->arguments[i], gone, error);
    if (code != CODE_OK)
      return code;
  }
  return CODE_OK;
}

ExitCode
command_why (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  gboolean gone = FALSE;
  if (output_is_json (cli->out))
    output_table (cli->out, row_why_columns ());
  const ExitCode code = ask_all (cli, pg, &gone, error);
  g_clear_pointer (&pg, pg_free);
  return code == CODE_OK && gone && cli->n_arguments == 1 ? command_who (cli, error) : code;
}
