#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/jobs_show.h"
#include "cli/left_out.h"
#include "cli/refusals.h"
#include "cli/running_settings.h"
#include "cli/stop_line.h"
#include "engine/ledger/mode.h"

static char *to;

const GOptionEntry jobs_options[]
    = { { "to", 0, 0, G_OPTION_ARG_FILENAME, &to,
          "make the job's folder in this one instead of printing it", "DIR" },
        { NULL } };

const char jobs_more[]
    = "`show` prints the SQL files of a job; those of a [retention] section as they are written for the tables as they are now. With --to they "
      "become a folder, which is a job of its own if it lies in [run] jobs_dir: take the section away then ([event] "
      "sections stay). A section with `object`, `children_portion` or `drop_partitions_older_than` does what no folder can: its SQL is "
      "printed, and with --to it is refused (exit code 2); so is a table whose name cannot be that of a file.";

static const Column COLUMNS[] = {
  { "job" },
  { "enabled", CELL_BOOL, .roomy = TRUE },
  { "mode" },
  { "paused", CELL_BOOL },
  { "schedule", .roomy = TRUE },
  { "next_at", CELL_TIME, .roomy = TRUE },
  { "capacity", CELL_NUMBER, .roomy = TRUE },
  { "ready", CELL_NUMBER },
  { "waiting", CELL_NUMBER },
  { "oldest_due_s", CELL_NUMBER, .roomy = TRUE },
  { "last_state" },
  { "last_run_id", .detail = TRUE },
  { "settings", CELL_JSON, .detail = TRUE },
  { "differs", CELL_JSON, .detail = TRUE },
  { "labels", CELL_JSON, .detail = TRUE },
  { "paused_until", CELL_TIME, .detail = TRUE },
  { "pause_reason", .detail = TRUE },
  { "refused", .detail = TRUE },
  { NULL },
};

static json_t *
setting (const json_t *settings, const char *key)
{
  return json_incref (json_object_get (settings, key));
}

/* What running processes say about jobs. */
typedef struct {
  PgRows *running, *refusals;
} Said;

static void
said_clear (Said *said)
{
  g_clear_pointer (&said->running, rows_free);
  g_clear_pointer (&said->refusals, rows_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Said, said_clear)

static gboolean
said_look (Said *said, Pg *pg, GError **error)
{
  said->running = running_settings_look (pg, error);
  said->refusals = said->running != NULL ? refusals_look (pg, error) : NULL;
  return said->refusals != NULL;
}

/* A process can refuse a new version of a job, and go on with the one before. */
static void
show_job (Cli *cli, const Job *job, const PgRows *rows, int row, const Said *said)
{
  const PgRows *running = said->running;
  int process = running_settings_row (running, job);
  int refusal = refusals_row (said->refusals, job->name);
  const char *last = refusal >= 0 && process < 0 ? "refused" : rows_text (rows, row, "last_state");
  json_t *settings = running_settings_of (running, job);
  output_row (
      cli->out, json_string (job->name), setting (settings, "enabled"), setting (settings, "mode"),
      cell_from_text (CELL_BOOL, rows_text (rows, row, "paused")),
      job->by_tick ? setting (settings, "schedule") : NULL,
      cell_from_text (CELL_TIME, rows_text (rows, row, "next_at")), setting (settings, "capacity"),
      json_integer (rows_int (rows, row, "ready")), json_integer (rows_int (rows, row, "waiting")),
      cell_from_text (CELL_NUMBER, rows_text (rows, row, "oldest_due_s")),
      cell_from_text (CELL_TEXT, last),
      cell_from_text (CELL_TEXT, rows_text (rows, row, "last_run_id")), settings,
      process >= 0 ? cell_from_text (CELL_JSON, rows_text (running, process, "differs"))
                   : json_object (),
      job_labels (job), cell_from_text (CELL_TIME, rows_text (rows, row, "paused_until")),
      cell_from_text (CELL_TEXT, rows_text (rows, row, "pause_reason")),
      refusal >= 0 ? refusals_reason (said->refusals, refusal) : NULL);
}

/* Jobs that cannot be loaded, in the same table. */
static void
show_refused (Cli *cli)
{
  for (guint i = 0; i < jobs_refused_count (cli->jobs); i++) {
    const JobRefused *one = jobs_refused_at (cli->jobs, i);
    if (one->job == NULL) /* an event */
      continue;
    json_t *cells = json_array ();
    for (const Column *column = COLUMNS; column->name != NULL; column++)
      json_array_append_new (cells, g_str_equal (column->name, "job") ? json_string (one->name)
                                    : g_str_equal (column->name, "last_state")
                                        ? json_string ("refused")
                                    : g_str_equal (column->name, "refused")
                                        ? json_sprintf ("%s: %s", one->place, one->reason)
                                        : json_null ());
    output_cells (cli->out, cells);
  }
}

/* A line for each job whose settings differ between processes. */
static void
say_differences (Cli *cli, const PgRows *running)
{
  for (int i = 0; i < rows_count (running); i++)
    if (!g_str_equal (rows_text (running, i, "differs"), "{}"))
      output_say (cli->out, "%s: processes differ: %s", rows_text (running, i, "job"),
                  rows_text (running, i, "differs"));
}

static PgRows *
look (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    array_add (names, jobs_at (cli->jobs, i)->name);
  pg_values_take (values, "job", array_take (names));
  if (!pg_begin (pg, error))
    return NULL;
  PgRows *rows = pg_run_file (pg, "src/cli/sql/jobs.sql", values, error);
  pg_rollback (pg);
  return rows;
}

ExitCode
command_jobs (Cli *cli, GError **error)
{
  if (cli->arguments[0] != NULL && !g_str_equal (cli->arguments[0], "show"))
    return cli_usage (error, "jobs: expected 'show', not '%s'", cli->arguments[0]);
  if (cli->arguments[0] != NULL && cli->arguments[1] == NULL)
    return cli_usage (error, "jobs show: the name of a job is missing");
  if (cli->arguments[0] != NULL)
    return jobs_show (cli, cli->arguments[1], to, error);
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  (void)!mode_read (pg, NULL); /* of an older schema it is not known */
  g_autoptr (PgRows) rows = look (cli, pg, error);
  g_auto (Said) said = { NULL };
  if (rows == NULL || !said_look (&said, pg, error))
    return cli_pg_failed (pg, error);
  if (!stop_line_show (cli, pg, error))
    return cli_pg_failed (pg, error);
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    show_job (cli, jobs_at (cli->jobs, i), rows, (int)i, &said);
  show_refused (cli);
  cli_end_jobs (cli->out);
  say_differences (cli, said.running);
  if (!left_out_say (cli, pg, error))
    return cli_pg_failed (pg, error);
  return refusals_end (cli, said.refusals, error);
}
