#include "cli/version_check.h"

#include "engine/clock/processes.h"
#include "engine/ledger/schema.h"

#define SQL "src/cli/sql/version_others.sql"

static const Column COLUMNS[] = { { "check" }, { "level" }, { "detail" }, { NULL } };

static void
say (Cli *cli, const char *check, const char *level, const char *detail)
{
  output_row (cli->out, json_string (check), json_string (level), json_string (detail));
}

/* Processes of another version, as long as they are seen. */
static gboolean
say_processes (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  pg_values_set (values, "version", PRUNED_VERSION);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL, values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    say (cli, "process", rows_text (rows, i, "level"), rows_text (rows, i, "detail"));
  return rows != NULL;
}

static ExitCode
check_database (Cli *cli, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  g_autofree char *fits
      = g_strdup_printf ("it works with this program, which wants step %d", schema_wanted ());
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  if (!schema_check (pg, &wrong)) {
    if (wrong->code != PRUNED_FATAL) {
      g_propagate_error (error, g_steal_pointer (&wrong));
      return CODE_POSTGRES;
    }
    say (cli, "schema", "error", wrong->message);
    return CODE_POSTGRES;
  }
  say (cli, "schema", "ok", fits);
  return say_processes (cli, pg, error) ? CODE_OK : CODE_POSTGRES;
}

ExitCode
version_check (Cli *cli, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  output_table (cli->out, COLUMNS);
  say (cli, "program", "ok", PRUNED_VERSION);
  if (!cli_load (cli, cli->file, cli->overrides, &wrong)) {
    say (cli, "settings", "error", wrong->message);
    output_end (cli->out);
    return CODE_CONFIG;
  }
  say (cli, "settings", "ok", "all of them are settings of this version");
  const ExitCode code = check_database (cli, error);
  output_end (cli->out);
  return code;
}
