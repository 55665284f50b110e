#include "cli/runs/run_wait.h"

#include "base/clock.h"
#include "cli/runs/run_page.h"
#include "cli/runs/run_row.h"
#include "engine/clock/processes.h"
#include "engine/view/view.h"

#define WAIT_S 600

gint64 run_wait_s = -1;

gboolean
run_wait_option (const char *option, const char *value, gpointer data, GError **error)
{
  char *end;
  run_wait_s = WAIT_S;
  if (value == NULL || *value == '\0')
    return TRUE;
  run_wait_s = g_ascii_strtoll (value, &end, 10);
  if (*end == '\0' && g_ascii_isdigit (*value) && run_wait_s <= G_MAXINT32)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--wait=%s: not a number of seconds", value);
  return FALSE;
}

gboolean
run_wait_is_over (const PgRows *rows)
{
  static const char *const ended[] = { "finished", "dead", "skipped", "held", NULL };
  return rows_count (rows) > 0 && g_strv_contains (ended, rows_text (rows, 0, "state"));
}

static PgRows *
look (Pg *pg, ViewId view, const char *job)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job);
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return view_ask (pg, view, values, NULL);
}

static gboolean
is_there (Pg *pg, ViewId view, const char *job)
{
  g_autoptr (PgRows) rows = look (pg, view, job);
  return rows != NULL && rows_count (rows) > 0;
}

void
run_wait_warn (Pg *pg, const char *job)
{
  g_autofree char *resume = g_strdup_printf ("pruned resume %s", job);
  if (is_there (pg, VIEW_PAUSED, job))
    log_warning ("The job is paused: its run waits until the job is resumed", "job", job, "remedy",
                 resume);
  if (is_there (pg, VIEW_STOP, job))
    log_warning ("Everything is stopped: the run waits until work goes on", "job", job, "remedy",
                 "pruned go");
  g_autoptr (PgRows) nobody = look (pg, VIEW_NOBODY, job);
  if (nobody == NULL || rows_count (nobody) == 0)
    return;
  if (rows_bool (nobody, 0, "none"))
    log_warning ("No daemon runs: the run begins once one does", "job", job, "remedy",
                 "pruned run");
  else
    log_warning ("No running daemon has the job: nobody does its runs", "job", job, "remedy",
                 "pruned reload");
}

ExitCode
run_wait_say_why (Pg *pg, const char *run_id, const char *job, const PgRows *rows, GError **error)
{
  const gboolean known = rows_count (rows) > 0;
  const char *state = known ? rows_text (rows, 0, "state") : "not begun: is a daemon running?",
             *why = known ? rows_text (rows, 0, "error") : NULL;
  g_autofree char *reason = NULL;
  if (is_there (pg, VIEW_STOP, job))
    reason = g_strdup (": everything is stopped; pruned go");
  else if (is_there (pg, VIEW_PAUSED, job))
    reason = g_strdup_printf (": job %s is paused; pruned resume %s", job, job);
  else
    reason = g_strdup_printf (", it is %s%s%s", state, why != NULL ? ": " : "",
                              why != NULL ? why : "");
  return cli_fail (CODE_TIME_OVER, error, "run %s has not ended after %" G_GINT64_FORMAT " s%s",
                   run_id, run_wait_s, reason);
}

static ExitCode
show (Cli *cli, Pg *pg, const PgRows *rows, GError **error)
{
  ExitCode code = run_page_show (cli, pg, rows, error);
  return code != CODE_OK ? code : run_row_ended_well (rows) ? CODE_OK : CODE_ENDED_BADLY;
}

ExitCode
run_wait (Cli *cli, const char *run_id, GError **error)
{
  ExitCode code = CODE_POSTGRES;
  gint64 deadline_us = clock_monotonic_us () + run_wait_s * G_USEC_PER_SEC;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  for (gboolean warned = FALSE; pg != NULL; warned = TRUE) {
    g_autoptr (PgRows) rows = run_row_get (pg, run_id, &code, error);
    if (rows == NULL)
      return code;
    if (run_wait_is_over (rows))
      return show (cli, pg, rows, error);
    if (!warned)
      run_wait_warn (pg, rows_text (rows, 0, "job"));
    if (clock_monotonic_us () >= deadline_us)
      return run_wait_say_why (pg, run_id, rows_text (rows, 0, "job"), rows, error);
    g_usleep (RUN_WAIT_LOOK_US);
  }
  return code;
}
