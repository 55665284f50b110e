/* `pruned reload` commits one row, which every process reads twice a second. Each reads its jobs
 * and settings again, from its own files, and says in pruned.processes what came of it.
 */
#include "base/clock.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/note.h"
#include "engine/clock/processes.h"

#define LOOK_EVERY_US 100000

static gint64 wait_s = 60;
static char *reason;

const GOptionEntry reload_options[]
    = { { "wait", 0, 0, G_OPTION_ARG_INT64, &wait_s,
          "how long to wait for the processes (default 60)", "S" },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why; the journal keeps it", "TEXT" },
        { NULL } };

const char reload_more[]
    = "Each process reads its own files. A job that is refused stays as it is; runs end with the version that they began with.\n"
      "Exit code 0: all processes have taken over what there is; 2: something was refused; 8: a process has not answered.";

static const Column PROCESSES[] = { { "host" },
                                    { "pid", CELL_NUMBER },
                                    { "answered", CELL_BOOL },
                                    { "changed", CELL_JSON },
                                    { "added", CELL_JSON },
                                    { "removed", CELL_JSON },
                                    { "refused", CELL_JSON },
                                    { "error" },
                                    { NULL } };

static PgRows *
ask (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgRows) asked
      = pg_begin (pg, error) ? pg_run_file (pg, "src/cli/sql/reload.sql", NULL, error) : NULL;
  gboolean ok = asked != NULL && cli_note (cli, pg, NULL, "all processes", reason, error)
                && pg_commit (pg, error);
  return ok ? g_steal_pointer (&asked) : NULL;
}

/* How many of PROCESSES have FLAG. */
static guint
count (const PgRows *processes, const char *flag)
{
  guint n = 0;
  for (int i = 0; i < rows_count (processes); i++)
    n += rows_bool (processes, i, flag);
  return n;
}

/* The processes, once all have answered, or time is up. */
static PgRows *
wait_for (Pg *pg, const PgRows *asked, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + wait_s * G_USEC_PER_SEC;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "asked_at", rows_text (asked, 0, "asked_at"));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  for (;;) {
    g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/reload_processes.sql", values, error);
    if (rows == NULL || count (rows, "answered") == (guint)rows_count (rows)
        || clock_monotonic_us () >= until_us)
      return g_steal_pointer (&rows);
    g_usleep (LOOK_EVERY_US);
  }
}

ExitCode
command_reload (Cli *cli, GError **error)
{
  if (wait_s < 0 || wait_s > G_MAXINT)
    return cli_usage (error, "--wait: seconds");
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) asked = ask (cli, pg, error);
  g_autoptr (PgRows) processes = asked != NULL ? wait_for (pg, asked, error) : NULL;
  if (processes == NULL)
    return cli_pg_failed (pg, error);
  const guint n = (guint)rows_count (processes), silent = n - count (processes, "answered");
  output_table (cli->out, PROCESSES);
  output_rows (cli->out, processes);
  output_end_list (cli->out, "no process runs");
  if (count (processes, "refuses") > 0)
    return cli_fail (CODE_CONFIG, error, "something was refused; what was in force before goes on");
  return silent == 0 ? CODE_OK
                     : cli_fail (CODE_TIME_OVER, error,
                                 "%u of %u %s not answered within"
                                 " %" G_GINT64_FORMAT " s",
                                 silent, n, plural (n, "process has", "processes have"), wait_s);
}
