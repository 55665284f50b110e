#include "cli/cli.h"
#include "cli/commands.h"
#include "config/settings.h"

static const Column COLUMNS[] = {
  { "job" },
  { "enabled", CELL_BOOL },
  { "paused", CELL_BOOL },
  { "schedule" },
  { "next_at", CELL_TIME },
  { "capacity", CELL_NUMBER },
  { "ready", CELL_NUMBER },
  { "waiting", CELL_NUMBER },
  { "oldest_due_s", CELL_NUMBER },
  { "last_state" },
  { "last_run_id", .detail = TRUE },
  { "settings", CELL_JSON, .detail = TRUE },
  { "labels", CELL_JSON, .detail = TRUE },
  { NULL },
};

static json_t *
setting_of (Cli *cli, const Job *job, const Setting *setting)
{
  switch (setting->type) {
    case SETTING_INT:
      return json_integer (config_job_int (cli->config, job->name, setting->key));
    case SETTING_BOOL:
      return json_boolean (config_job_bool (cli->config, job->name, setting->key));
    default:
      return json_string (config_job_text (cli->config, job->name, setting->key));
  }
}

/* `[jobs.<name>]` as it is. */
static json_t *
settings_of (Cli *cli, const Job *job)
{
  json_t *settings = json_object ();
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    if (g_str_equal (setting->section, SETTINGS_JOBS))
      json_object_set_new (settings, setting->key, setting_of (cli, job, setting));
  return settings;
}

static json_t *
schedule_of (Cli *cli, const Job *job)
{
  return job->by_tick ? json_string (config_job_text (cli->config, job->name, "schedule")) : NULL;
}

static void
show_job (Cli *cli, const Job *job, const PgRows *rows, int row)
{
  output_row (cli->out, json_string (job->name), json_boolean (job->enabled),
              cell_from_text (CELL_BOOL, rows_text (rows, row, "paused")), schedule_of (cli, job),
              cell_from_text (CELL_TIME, rows_text (rows, row, "next_at")), json_integer (job->capacity),
              json_integer (rows_int (rows, row, "ready")), json_integer (rows_int (rows, row, "waiting")),
              cell_from_text (CELL_NUMBER, rows_text (rows, row, "oldest_due_s")),
              cell_from_text (CELL_TEXT, rows_text (rows, row, "last_state")),
              cell_from_text (CELL_TEXT, rows_text (rows, row, "last_run_id")), settings_of (cli, job),
              job_labels (job));
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
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows = look (cli, pg, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    show_job (cli, jobs_at (cli->jobs, i), rows, (int)i);
  return CODE_OK;
}
