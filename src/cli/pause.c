#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/note.h"

#include <string.h>

#define DAYS_MOST 3650

static gboolean all;
static char *how_long, *reason;

const GOptionEntry pause_options[]
    = { { "all", 0, 0, G_OPTION_ARG_NONE, &all, "all jobs", NULL },
        { "for", 0, 0, G_OPTION_ARG_STRING, &how_long,
          "how long: 30m, 2h, 1d; the pause then ends by itself", "TIME" },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why; shown while it lasts", "TEXT" },
        { NULL } };
const GOptionEntry resume_options[]
    = { { "all", 0, 0, G_OPTION_ARG_NONE, &all, "all jobs", NULL },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why", "TEXT" },
        { NULL } };

const char pause_more[]
    = "JOB is a name, or a pattern with * and ?, like 'members.*'. If one of them matches no job, nothing is paused.\n"
      "A pause is never shortened: one that ends later, or that is open and has a reason, stays as it is. `pruned resume` ends it.";
const char resume_more[]
    = "JOB is a name, or a pattern with * and ?, like 'members.*'. If one of them matches no job, nothing is resumed.";

static const Column SHORT[] = { { "job" }, { "paused", CELL_BOOL }, { NULL } };
static const Column COLUMNS[]
    = { { "job" }, { "paused", CELL_BOOL }, { "paused_until", CELL_TIME }, { "reason" }, { NULL } };

/* `2h` as seconds; 0: no such time was given. */
static gboolean
parse_how_long (gint64 *seconds, GError **error)
{
  static const struct {
    char unit;
    gint64 seconds;
  } UNITS[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
  *seconds = 0;
  if (how_long == NULL)
    return TRUE;
  gsize len = strlen (how_long);
  g_autofree char *number = g_strndup (how_long, len > 0 ? len - 1 : 0);
  for (guint i = 0; len > 0 && i < G_N_ELEMENTS (UNITS); i++) {
    gint64 n;
    if (how_long[len - 1] != UNITS[i].unit
        || !g_ascii_string_to_signed (number, 10, 1, DAYS_MOST * 86400 / UNITS[i].seconds, &n,
                                      NULL))
      continue;
    *seconds = n * UNITS[i].seconds;
    return TRUE;
  }
  cli_usage (error, "--for: expected a time like 30m, 2h or 1d, at most %dd, not '%s'", DAYS_MOST,
             how_long);
  return FALSE;
}

/* Adds the jobs that NAME, a name or a pattern, matches. */
static ExitCode
add_matching (Cli *cli, const char *name, GString *names, GError **error)
{
  gboolean pattern = strpbrk (name, "*?") != NULL;
  const Job *job = pattern ? NULL : cli_job (cli, name, NULL);
  if (job != NULL)
    array_add (names, job->name);
  if (job != NULL || job_left_matching (cli, name, names))
    return CODE_OK;
  if (pattern)
    return cli_fail (CODE_NOT_FOUND, error, "no job matches '%s'", name);
  (void)job_left_find (cli, name, error);
  return CODE_NOT_FOUND;
}

static ExitCode
find_jobs (Cli *cli, GString *names, GError **error)
{
  ExitCode code = CODE_OK;
  if (all && cli->n_arguments > 0)
    return cli_usage (error, "--all takes no names of jobs");
  if (all)
    return add_matching (cli, "*", names, error);
  if (cli->n_arguments == 0)
    return cli_usage (error, "an argument is missing: a job, a pattern, or --all");
  for (guint i = 0; code == CODE_OK && i < cli->n_arguments; i++)
    code = add_matching (cli, cli->arguments[i], names, error);
  return code;
}

/* A row of the journal for each job that changed. */
static gboolean
note_jobs (Cli *cli, Pg *pg, const PgRows *rows, GError **error)
{
  g_autofree char *verb = how_long != NULL ? g_strconcat ("--for ", how_long, NULL) : NULL;
  for (int i = 0; i < rows_count (rows); i++)
    if (!rows_bool (rows, i, "stays")
        && !cli_note (cli, pg, verb, rows_text (rows, i, "job"), reason, error))
      return FALSE;
  return TRUE;
}

/* Warns of each job that stays paused as it was. FALSE: there is none. */
static gboolean
say_stays (const PgRows *rows)
{
  gboolean any = FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *until = rows_text (rows, i, "paused_until");
    if (!rows_bool (rows, i, "stays") || !rows_bool (rows, i, "paused"))
      continue;
    log_warning ("The job stays paused as it was; only resume shortens a pause", "job",
                 rows_text (rows, i, "job"), "until", until != NULL ? until : "it is resumed",
                 "reason", rows_text (rows, i, "reason"));
    any = TRUE;
  }
  return any;
}

static ExitCode
set_paused (Cli *cli, gboolean paused, GError **error)
{
  gint64 seconds;
  GString *names = array_new ();
  g_autoptr (PgValues) values = pg_values_new ();
  ExitCode code = parse_how_long (&seconds, error) ? find_jobs (cli, names, error) : CODE_USAGE;
  pg_values_take (values, "job", array_take (names));
  if (code != CODE_OK)
    return code;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  pg_values_set (values, "paused", paused ? "true" : "false");
  pg_values_int (values, "seconds", seconds);
  pg_values_set (values, "reason", reason);
  g_autoptr (PgRows) rows
      = pg_begin (pg, error) ? pg_run_file (pg, "src/cli/sql/pause.sql", values, error) : NULL;
  if (rows == NULL || !note_jobs (cli, pg, rows, error) || !pg_commit (pg, error))
    return cli_pg_failed (pg, error);
  const gboolean wide = say_stays (rows) || how_long != NULL || reason != NULL;
  output_table (cli->out, wide ? COLUMNS : SHORT);
  output_rows (cli->out, rows);
  cli_end_jobs (cli->out);
  return CODE_OK;
}

ExitCode
command_pause (Cli *cli, GError **error)
{
  return set_paused (cli, TRUE, error);
}

ExitCode
command_resume (Cli *cli, GError **error)
{
  return set_paused (cli, FALSE, error);
}
