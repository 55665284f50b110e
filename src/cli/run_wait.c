#include "cli/run_wait.h"

#include "base/clock.h"
#include "cli/run_page.h"
#include "cli/run_row.h"

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

static ExitCode
show (Cli *cli, Pg *pg, const PgRows *rows, GError **error)
{
  g_autoptr (json_t) result = cell_from_text (CELL_JSON, rows_text (rows, 0, "result"));
  gboolean blocked
      = g_strcmp0 (json_string_value (json_object_get (result, "status")), "blocked") == 0;
  ExitCode code = run_page_show (cli, pg, rows, error);
  if (code != CODE_OK)
    return code;
  return g_str_equal (rows_text (rows, 0, "state"), "finished") && !blocked ? CODE_OK
                                                                            : CODE_ENDED_BADLY;
}

ExitCode
run_wait (Cli *cli, const char *run_id, GError **error)
{
  ExitCode code = CODE_POSTGRES;
  gint64 deadline_us = clock_monotonic_us () + run_wait_s * G_USEC_PER_SEC;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  while (pg != NULL) {
    g_autoptr (PgRows) rows = run_row_get (pg, run_id, &code, error);
    if (rows == NULL)
      return code;
    if (run_wait_is_over (rows))
      return show (cli, pg, rows, error);
    if (clock_monotonic_us () >= deadline_us)
      return cli_fail (CODE_TIME_OVER, error,
                       "run %s has not ended after %" G_GINT64_FORMAT " s, it is %s", run_id,
                       run_wait_s, rows_text (rows, 0, "state"));
    g_usleep (RUN_WAIT_LOOK_US);
  }
  return code;
}
