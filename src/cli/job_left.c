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

gboolean
job_left_known (Cli *cli, const char *name, GError **error)
{
  g_autoptr (GError) unknown = NULL;
  if (cli_job (cli, name, &unknown) != NULL)
    return TRUE;
  g_autoptr (PgRows) rows = ask (cli, "src/cli/sql/job_known.sql", name);
  if (rows != NULL && rows_bool (rows, 0, "known"))
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
