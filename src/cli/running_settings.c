#include "cli/running_settings.h"

#include "engine/clock/processes.h"
#include "engine/view/view.h"

PgRows *
running_settings_look (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  if (!pg_begin (pg, error))
    return NULL;
  PgRows *rows = view_ask (pg, VIEW_IN_FORCE, values, error);
  pg_rollback (pg);
  return rows;
}

int
running_settings_row (const PgRows *running, const Job *job)
{
  for (int i = 0; i < rows_count (running); i++)
    if (g_str_equal (rows_text (running, i, "job"), job->name))
      return i;
  return -1;
}

json_t *
running_settings_of (const PgRows *running, const Job *job)
{
  int row = running_settings_row (running, job);
  return row >= 0 ? cell_from_text (CELL_JSON, rows_text (running, row, "settings"))
                  : processes_settings (job);
}

json_t *
running_settings_modes (Cli *cli, const PgRows *running)
{
  json_t *modes = json_object ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    g_autoptr (json_t) settings = running_settings_of (running, job);
    json_t *mode = json_object_get (settings, "mode");
    if (g_strcmp0 (json_string_value (mode), "apply") != 0)
      json_object_set (modes, job->name, mode);
  }
  return modes;
}

#define LISTED 4 /* of more than LISTED + 1 jobs: so never "and 1 more" */

char *
running_settings_in_mode (Cli *cli, const json_t *modes, const char *mode)
{
  guint n = 0;
  const char *job;
  json_t *word;
  GString *jobs = g_string_new (NULL);
  json_object_foreach ((json_t *)modes, job, word)
    n += g_str_equal (json_string_value (word), mode);
  const guint shown = n > LISTED + 1 ? LISTED : n;
  guint left = n == jobs_count (cli->jobs) ? 0 : shown;
  json_object_foreach ((json_t *)modes, job, word)
    if (left > 0 && g_str_equal (json_string_value (word), mode)) {
      g_string_append_printf (jobs, "%s%s", jobs->len > 0 ? ", " : "", job);
      left--;
    }
  if (n == jobs_count (cli->jobs))
    g_string_assign (jobs, n > 0 ? "all jobs" : "");
  else if (n > shown)
    g_string_append_printf (jobs, ", ... and %u more", n - shown);
  return g_string_free (jobs, n == 0);
}
