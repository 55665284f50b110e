#include "cli/job_left.h"

#include "base/log.h"
#include "engine/clock/processes.h"

/* NULL: PostgreSQL does not say, and why is logged: the command goes on without. */
static PgRows *
ask (Cli *cli, const char *file, const char *job)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Pg) pg = cli_pg (cli, &error);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job);
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  PgRows *rows = pg != NULL ? pg_run_file (pg, file, values, &error) : NULL;
  if (rows == NULL)
    log_warning ("Could not look for jobs that only the database knows", "error", error->message);
  return rows;
}

static gboolean
is_known (Cli *cli, const char *name)
{
  g_autoptr (PgRows) rows = ask (cli, "src/cli/sql/job_known.sql", name);
  return rows != NULL && rows_bool (rows, 0, "known");
}

Job *
job_left_find (Cli *cli, const char *name, GError **error)
{
  GError *unknown = NULL;
  Job *job = cli_job (cli, name, &unknown);
  if (job != NULL)
    return job;
  if (jobs_find_loaded (cli->jobs, name) == NULL && is_known (cli, name)) {
    g_clear_error (&unknown);
    g_set_error (
        &unknown, PRUNED_ERROR, PRUNED_FATAL,
        "there is no job %s in this configuration ([run] jobs_dir is %s), though the database"
        " knows it. Put its file back, then: pruned reload; or name the daemon's configuration: -c",
        name, config_text (cli->config, "run", "jobs_dir"));
  }
  g_propagate_error (error, unknown);
  return NULL;
}

gboolean
job_left_known (Cli *cli, const char *name, GError **error)
{
  g_autoptr (GError) unknown = NULL;
  if (cli_job (cli, name, &unknown) != NULL)
    return TRUE;
  if (is_known (cli, name))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&unknown));
  return FALSE;
}

static gboolean
add_if (GString *names, const char *pattern, const char *name)
{
  gboolean matches = g_pattern_match_simple (pattern, name);
  if (matches)
    array_add (names, name);
  return matches;
}

gboolean
job_left_matching (Cli *cli, const char *pattern, GString *names)
{
  gboolean any = FALSE;
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    any |= add_if (names, pattern, jobs_at (cli->jobs, i)->name);
  for (guint i = 0; i < jobs_refused_count (cli->jobs); i++)
    any |= add_if (names, pattern, jobs_refused_at (cli->jobs, i)->name);
  g_autoptr (PgRows) rows = ask (cli, "src/cli/sql/jobs_left.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    any |= add_if (names, pattern, rows_text (rows, i, "job"));
  return any;
}
