/* `pruned stop` commits one row that every process reads in each step's transaction, and twice a
 * second. Then it waits, for a moment only, until the running processes have said in
 * pruned.processes that they have read it.
 */
#include "base/clock.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/note.h"
#include "cli/stop_line.h"
#include "engine/clock/processes.h"
#include "engine/ledger/journal.h"
#include "engine/work/divide.h"

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
    = "All processes have stopped within two seconds; they stay in their consumer group, and ticks and events become "
      "rows that wait. Twice is the same as once. Without --now a running step ends with all it does.\n"
      "Exit code 8: the stop is in force, but a process has not confirmed it yet.";

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
  pg_values_int (values, "range_steps", RANGE_STEPS);
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

static json_t *
object_of (const Column *columns, const PgRows *rows, int row)
{
  json_t *object = json_object ();
  for (const Column *column = columns; column->name != NULL; column++)
    json_object_set_new (object, column->name,
                         cell_from_text (column->type, rows_text (rows, row, column->name)));
  return object;
}

/* Adds to SEEN, by run, the runs whose step is under way. */
static gboolean
note_running (Pg *pg, const PgRows *stop, json_t *seen, GError **error)
{
  g_autoptr (PgRows) rows = ask (pg, "src/cli/sql/stop_runs.sql", stop, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    json_object_set_new (seen, rows_text (rows, i, "run_id"), object_of (RUNS, rows, i));
  return rows != NULL;
}

/* The processes, once all have stopped, or time is up. SEEN: note_running. */
static PgRows *
wait_for_processes (Pg *pg, const PgRows *stop, json_t *seen, GError **error)
{
  gint64 until_us = clock_monotonic_us () + (at_once ? CANCELLED_US : SEEN_US);
  for (;;) {
    g_autoptr (PgRows) rows = ask (pg, "src/cli/sql/stop_processes.sql", stop, error);
    if (rows == NULL || !note_running (pg, stop, seen, error))
      return NULL;
    if (all_have_stopped (rows) || clock_monotonic_us () >= until_us)
      return g_steal_pointer (&rows);
    g_usleep (LOOK_EVERY_US);
  }
}

static json_t *
objects_of (const Column *columns, const PgRows *rows)
{
  json_t *list = json_array ();
  for (int i = 0; i < rows_count (rows); i++)
    json_array_append_new (list, object_of (columns, rows, i));
  return list;
}

/* Of SEEN: runs of which no step is under way any more. They were cancelled, unless they had ended
 * in that moment. */
static json_t *
cancelled_of (const json_t *seen, const PgRows *runs)
{
  json_t *list = json_array (), *run;
  const char *id;
  json_object_foreach ((json_t *)seen, id, run) {
    gboolean runs_still = FALSE;
    for (int i = 0; i < rows_count (runs); i++)
      runs_still |= g_str_equal (rows_text (runs, i, "run_id"), id);
    if (!runs_still && at_once)
      json_array_append (list, run);
  }
  return list;
}

static void
say_cancelled (Cli *cli, const json_t *cancelled)
{
  size_t i;
  json_t *run;
  if (json_array_size (cancelled) == 0)
    return;
  output_say (cli->out, "cancelled:");
  output_table (cli->out, RUNS);
  json_array_foreach ((json_t *)cancelled, i, run)
    output_row (cli->out, json_incref (json_object_get (run, "run_id")),
                json_incref (json_object_get (run, "job")),
                json_incref (json_object_get (run, "step")));
  output_end (cli->out);
}

static guint
count_silent (const PgRows *processes)
{
  guint n = 0;
  for (int i = 0; i < rows_count (processes); i++)
    n += !rows_bool (processes, i, "stopped");
  return n;
}

static void
say_processes (Cli *cli, const PgRows *processes, const PgRows *runs)
{
  output_table (cli->out, PROCESSES);
  output_rows (cli->out, processes);
  output_end_list (cli->out, "no process runs");
  if (rows_count (runs) == 0)
    return;
  output_say (cli->out, "steps that still run, and end:");
  output_table (cli->out, RUNS);
  output_rows (cli->out, runs);
  output_end (cli->out);
}

static ExitCode
code_of (const PgRows *processes, GError **error)
{
  const guint silent = count_silent (processes);
  return silent == 0 ? CODE_OK
                     : cli_fail (CODE_TIME_OVER, error, "%u of %d %s not confirmed that %s stopped",
                                 silent, rows_count (processes),
                                 plural (rows_count (processes), "process has", "processes have"),
                                 plural (rows_count (processes), "it has", "they have"));
}

static ExitCode
answer (Cli *cli, Pg *pg, const PgRows *stop, GError **error)
{
  g_autoptr (json_t) seen = json_object ();
  g_autoptr (PgRows) processes = wait_for_processes (pg, stop, seen, error);
  g_autoptr (PgRows) runs
      = processes != NULL ? ask (pg, "src/cli/sql/stop_runs.sql", stop, error) : NULL;
  if (runs == NULL)
    return cli_pg_failed (pg, error);
  g_autoptr (json_t) object = json_object (), cancelled = cancelled_of (seen, runs);
  if (!output_is_json (cli->out)) {
    stop_line_say (cli->out, stop);
    say_processes (cli, processes, runs);
    say_cancelled (cli, cancelled);
    return code_of (processes, error);
  }
  json_object_set_new (object, "stop", stop_line_object (stop));
  json_object_set_new (object, "processes", objects_of (PROCESSES, processes));
  json_object_set_new (object, "runs", objects_of (RUNS, runs));
  json_object_set (object, "cancelled", cancelled);
  output_object (cli->out, object);
  return code_of (processes, error);
}

ExitCode
command_stop (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autofree char *who = journal_actor ();
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cancel", at_once ? "true" : "false");
  pg_values_set (values, "who", who);
  pg_values_set (values, "reason", reason);
  g_autoptr (PgRows) stop
      = pg_begin (pg, error) ? pg_run_file (pg, "src/cli/sql/stop.sql", values, error) : NULL;
  gboolean ok
      = stop != NULL
        && (!rows_bool (stop, 0, "changed") || cli_note (cli, pg, NULL, "all jobs", reason, error))
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
