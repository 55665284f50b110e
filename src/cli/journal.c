#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "engine/view/view.h"

#define LIMIT 50

static char *since, *command, *job;
static gint64 limit = LIMIT;

const GOptionEntry journal_options[]
    = { { "since", 0, 0, G_OPTION_ARG_STRING, &since,
          "only actions since then: -1d, 2026-11-21, ...", "T" },
        { "command", 0, 0, G_OPTION_ARG_STRING, &command,
          "only this command: pause, quarantine, 'quarantine drop', start, ...", "C" },
        { "job", 0, 0, G_OPTION_ARG_STRING, &job,
          "only what was done to this job, its runs, items or settings", "J" },
        { "limit", 0, 0, G_OPTION_ARG_INT64, &limit, "at most this number of actions (default 50)",
          "N" },
        { NULL } };

const char journal_more[]
    = "Every command that changes something leaves a row here, and so does a setting that changed at a start or reload of a daemon.";

static ExitCode
bind_options (Cli *cli, PgValues *values, GError **error)
{
  gint64 since_us;
  if (job != NULL && !job_left_known (cli, job, error))
    return CODE_NOT_FOUND;
  if (since != NULL && !cli_time (since, &since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  if (limit < 1)
    return cli_usage (error, "--limit: at least 1");
  if (since != NULL)
    pg_values_time (values, "since", since_us);
  else
    pg_values_set (values, "since", NULL);
  pg_values_set (values, "command", command);
  pg_values_set (values, "job", job);
  pg_values_int (values, "limit", limit);
  return CODE_OK;
}

ExitCode
command_journal (Cli *cli, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  ExitCode code = bind_options (cli, values, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin_read_only (pg, error))
    rows = view_ask (pg, VIEW_JOURNAL, values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  output_table (cli->out, view_columns (VIEW_JOURNAL));
  output_rows (cli->out, rows);
  output_end_list (cli->out, "Nobody has %s%s.",
                   command != NULL || job != NULL ? "done that" : "changed anything",
                   since != NULL ? " since then" : "");
  return CODE_OK;
}
