/* `pruned stop` commits one row that every process reads in each step's transaction, and twice a
 * second. Then it waits, for a moment only, until the running processes have said in
 * pruned.processes that they have read it.
 */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/note.h"
#include "cli/stop_line.h"
#include "engine/clock/processes.h"

#define SEEN_US (2 * G_USEC_PER_SEC)
#define CANCELLED_US (4 * G_USEC_PER_SEC)
#define LOOK_EVERY_US 100000

static char *reason;
static gboolean at_once;

const GOptionEntry stop_options[]
    = { { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why; shown while it stands", "TEXT" },
        { "now", 0, 0, G_OPTION_ARG_NONE, &at_once,
          "also cancel the steps that run: they are rolled back and not charged", NULL },
        { NULL } };
const GOptionEntry go_options[]
    = { { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why", "TEXT" }, { NULL } };

const char stop_more[]
    = "All processes have stopped within two seconds; they stay in their consumer group, and ticks and events become\n"
      "rows that wait. Twice is the same as once. Without --now a running step ends with all it does.";

static const Column PROCESSES[]
    = { { "id", .detail = TRUE }, { "host" }, { "pid", CELL_NUMBER }, { "stopped", CELL_BOOL },
        { "running", CELL_JSON }, { NULL } };
static const Column RUNS[] = { { "run_id" }, { "job" }, { "step", CELL_NUMBER }, { NULL } };

static PgRows *
ask (Pg *pg, const char *file, const PgRows *stop, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "since", rows_text (stop, 0, "since"));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return pg_run_file (pg, file, values, error);
}

static gboolean
all_have_stopped (const PgRows *processes)
{
  for (int i = 0; i < rows_count (processes); i++)
    if (!rows_bool (processes, i, "stopped")
        || (at_once && g_strcmp0 (rows_text (processes, i, "running"), "[]") != 0))
      return FALSE;
  return TRUE;
}

/* The processes, once all have stopped, or time is up. */
static PgRows *
wait_for_processes (Pg *pg, const PgRows *stop, GError **error)
{
  gint64 until_us = clock_monotonic_us () + (at_once ? CANCELLED_US : SEEN_US);
  for (;;) {
    g_autoptr (PgRows) rows = ask (pg, "src/cli/sql/stop_processes.sql", stop, error);
    if (rows == NULL || all_have_stopped (rows) || clock_monotonic_us () >= until_us)
      return g_steal_pointer (&rows);
    g_usleep (LOOK_EVERY_US);
  }
}

static json_t *
objects_of (const Column *columns, const PgRows *rows)
{
  json_t *list = json_array ();
  for (int i = 0; i < rows_count (rows); i++) {
    json_t *object = json_object ();
    for (const Column *column = columns; column->name != NULL; column++)
      json_object_set_new (object, column->name,
                           cell_from_text (column->type, rows_text (rows, i, column->name)));
    json_array_append_new (list, object);
  }
  return list;
}

static void
say_processes (Cli *cli, const PgRows *processes, const PgRows *runs)
{
  guint missing = 0;
  for (int i = 0; i < rows_count (processes); i++)
    missing += !rows_bool (processes, i, "stopped");
  output_table (cli->out, PROCESSES);
  output_rows (cli->out, processes);
  output_end (cli->out);
  if (rows_count (processes) == 0)
    output_say (cli->out, "no process runs");
  if (missing > 0)
    output_say (cli->out, "%u of %d processes have not said yet that they have stopped", missing,
                rows_count (processes));
  if (rows_count (runs) == 0)
    return;
  output_say (cli->out, "steps that still run, and end:");
  output_table (cli->out, RUNS);
  output_rows (cli->out, runs);
}

static ExitCode
answer (Cli *cli, Pg *pg, const PgRows *stop, GError **error)
{
  g_autoptr (PgRows) processes = wait_for_processes (pg, stop, error);
  g_autoptr (PgRows) runs
      = processes != NULL ? ask (pg, "src/cli/sql/stop_runs.sql", stop, error) : NULL;
  if (runs == NULL)
    return cli_pg_failed (pg, error);
  if (!output_is_json (cli->out)) {
    stop_line_say (cli->out, stop);
    say_processes (cli, processes, runs);
    return CODE_OK;
  }
  g_autoptr (json_t) object = json_object ();
  json_object_set_new (object, "stop", stop_line_object (stop));
  json_object_set_new (object, "processes", objects_of (PROCESSES, processes));
  json_object_set_new (object, "runs", objects_of (RUNS, runs));
  output_object (cli->out, object);
  return CODE_OK;
}

ExitCode
command_stop (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autofree char *who = g_strdup_printf ("%s@%s", g_get_user_name (), g_get_host_name ());
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cancel", at_once ? "true" : "false");
  pg_values_set (values, "who", who);
  pg_values_set (values, "reason", reason);
  g_autoptr (PgRows) stop
      = pg_begin (pg, error) ? pg_run_file (pg, "src/cli/sql/stop.sql", values, error) : NULL;
  gboolean ok = stop != NULL && cli_note (cli, pg, NULL, "all jobs", reason, error)
                && pg_commit (pg, error);
  return ok ? answer (cli, pg, stop, error) : cli_pg_failed (pg, error);
}

ExitCode
command_go (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) ended
      = pg_begin (pg, error) ? pg_run_file (pg, "src/cli/sql/go.sql", NULL, error) : NULL;
  if (ended == NULL
      || (rows_count (ended) > 0 && !cli_note (cli, pg, NULL, "all jobs", reason, error))
      || !pg_commit (pg, error))
    return cli_pg_failed (pg, error);
  g_autoptr (json_t) object = json_object ();
  json_object_set_new (object, "stop", json_null ());
  json_object_set_new (object, "ended", stop_line_object (ended));
  output_object (cli->out, object);
  output_say (cli->out, rows_count (ended) > 0 ? "work goes on" : "nothing was stopped");
  return CODE_OK;
}
