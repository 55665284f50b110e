#include "cli/force.h"

#include "engine/clock/processes.h"

PgRows *
force_look (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  if (!pg_begin (pg, error))
    return NULL;
  PgRows *rows = pg_run_file (pg, "src/cli/sql/in_force.sql", values, error);
  pg_rollback (pg);
  return rows;
}

int
force_row (const PgRows *forces, const Job *job)
{
  for (int i = 0; i < rows_count (forces); i++)
    if (g_str_equal (rows_text (forces, i, "job"), job->name))
      return i;
  return -1;
}

json_t *
force_settings (const PgRows *forces, const Job *job)
{
  int row = force_row (forces, job);
  return row >= 0 ? cell_from_text (CELL_JSON, rows_text (forces, row, "settings"))
                  : processes_settings (job);
}

json_t *
force_modes (Cli *cli, const PgRows *forces)
{
  json_t *modes = json_object ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    g_autoptr (json_t) settings = force_settings (forces, job);
    json_t *mode = json_object_get (settings, "mode");
    if (g_strcmp0 (json_string_value (mode), "apply") != 0)
      json_object_set (modes, job->name, mode);
  }
  return modes;
}
