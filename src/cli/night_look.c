#include "cli/night_look.h"

#include "cli/running_settings.h"
#include "engine/clock/processes.h"
#include "engine/ledger/mode.h"
#include "engine/step/overdue.h"

/* Jobs that were removed, with their rules. */
static PgRows *
ask_left (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "known", jobs_array (cli->jobs));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  PgRows *rows = pg_begin_read_only (pg, error)
                     ? pg_run_file (pg, "src/cli/sql/overdue_left.sql", values, error)
                     : NULL;
  pg_rollback (pg);
  return rows;
}

static gboolean
look (Pg *pg, const char *name, const Job *job, const json_t *rule, json_t *all, GError **error)
{
  json_t *found = rule != NULL ? overdue_look (pg, name, job, rule, error) : NULL;
  if (found != NULL)
    json_object_set_new (all, name, found);
  return rule == NULL || found != NULL;
}

/* {job: what overdue_look has found}, asked now: no process need run for it. NULL: an error. */
static json_t *
look_for_overdue (Cli *cli, Pg *pg, const json_t *settings, GError **error)
{
  g_autoptr (json_t) all = json_object ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    g_autoptr (json_t) rule = overdue_rule (job, json_object_get (settings, job->name));
    if (!look (pg, job->name, job, rule, all, error))
      return NULL;
  }
  g_autoptr (PgRows) left = ask_left (cli, pg, error);
  for (int i = 0; left != NULL && i < rows_count (left); i++) {
    g_autoptr (json_t) rule = json_loads (rows_text (left, i, "rule"), 0, NULL);
    if (!look (pg, rows_text (left, i, "job"), NULL, rule, all, error))
      return NULL;
  }
  return left != NULL ? g_steal_pointer (&all) : NULL;
}

PgRows *
night_look (Cli *cli, Pg *pg, const char *since, GError **error)
{
  if (!mode_read (pg, error))
    return NULL;
  g_autoptr (PgRows) running = running_settings_look (pg, error);
  if (running == NULL)
    return NULL;
  g_autoptr (json_t) settings = json_object ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    json_object_set_new (settings, job->name, running_settings_of (running, job));
  }
  g_autoptr (Night) night = night_new (settings);
  g_autoptr (json_t) overdue = look_for_overdue (cli, pg, settings, error);
  if (overdue == NULL)
    return NULL;
  night_set_overdue (night, overdue);
  PgRows *rows = pg_begin_read_only (pg, error) ? night_ask (pg, night, since, error) : NULL;
  pg_rollback (pg);
  return rows;
}
