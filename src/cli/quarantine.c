#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/commands.h"

static gboolean all;

const GOptionEntry quarantine_options[] = {
  { "all", 0, 0, G_OPTION_ARG_NONE, &all, "list: also those that will be tried again by themselves", NULL },
  { NULL }
};

static const Column COLUMNS[] = {
  { "job" }, { "item" }, { "attempts", CELL_NUMBER }, { "parked", CELL_BOOL }, { "next_try_at", CELL_TIME },
  { "reason" }, { NULL }
};

static const struct {
  const char *name, *file;
  guint most; /* arguments behind it */
} VERBS[] = {
  { "list", "src/cli/sql/quarantine_list.sql", 0 },
  { "retry", "src/cli/sql/quarantine_retry.sql", 2 },
  { "drop", "src/cli/sql/quarantine_drop.sql", 2 },
};

/* The index in VERBS; -1: error. */
static int
find_verb (Cli *cli, GError **error)
{
  const char *names[G_N_ELEMENTS (VERBS) + 1] = { NULL };
  const char *given = cli->n_arguments > 0 ? cli->arguments[0] : "list";
  for (guint i = 0; i < G_N_ELEMENTS (VERBS); i++) {
    names[i] = VERBS[i].name;
    if (!g_str_equal (given, VERBS[i].name))
      continue;
    if (cli->n_arguments <= VERBS[i].most + 1)
      return (int)i;
    cli_usage (error, "too many arguments");
    return -1;
  }
  set_unknown (error, "command", given, names);
  return -1;
}

static PgRows *
run (Pg *pg, const char *file, const char *job, const char *item, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "all", all ? "true" : "false");
  pg_values_set (values, "job", job);
  pg_values_set (values, "item", item);
  g_autoptr (PgRows) rows = NULL;
  if (!pg_begin (pg, error) || (rows = pg_run_file (pg, file, values, error)) == NULL || !pg_commit (pg, error))
    return NULL;
  return g_steal_pointer (&rows);
}

ExitCode
command_quarantine (Cli *cli, GError **error)
{
  int verb = find_verb (cli, error);
  if (verb < 0)
    return CODE_USAGE;
  const char *job = cli->n_arguments > 1 ? cli->arguments[1] : NULL;
  const char *item = cli->n_arguments > 2 ? cli->arguments[2] : NULL;
  if (job != NULL && cli_job (cli, job, error) == NULL)
    return CODE_NOT_FOUND;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows = run (pg, VERBS[verb].file, job, item, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (item != NULL && rows_count (rows) == 0)
    return cli_fail (CODE_NOT_FOUND, error, "job %s has no item '%s' in quarantine", job, item);
  output_table (cli->out, COLUMNS);
  output_rows (cli->out, rows);
  return CODE_OK;
}
