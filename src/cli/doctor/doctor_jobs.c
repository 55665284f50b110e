#include "cli/doctor/doctor.h"

#define SQL "src/cli/doctor/sql/"

static guint
count_built_in (const Jobs *jobs, gboolean in_force)
{
  guint n = 0;
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++)
    n += jobs_find_loaded (jobs, *name)->built_in && (!in_force || jobs_find (jobs, *name) != NULL);
  return n;
}

/* Runs of a job that is not in force wait until it is. */
static gboolean
say_left (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", jobs_array (doctor->cli->jobs));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "jobs", SQL "left_runs.sql", values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job");
    g_autofree char *runs = doctor_count (rows_int (rows, i, "n"), "run"),
                    *remedy = g_strdup_printf ("pruned runs --job %s", job);
    doctor_warn (
        doctor, "jobs", remedy,
        "%s of %s wait for the job, which is not in force here ([run] jobs, jobs_dir, or its tables)",
        runs, job);
  }
  return rows == NULL || rows_count (rows) > 0;
}

void
doctor_jobs (Doctor *doctor)
{
  const Cli *cli = doctor->cli;
  const char *chosen = config_text (cli->config, "run", "jobs"),
             *schema = config_text (cli->config, "postgres", "app_schema");
  guint all = count_built_in (cli->jobs, FALSE), n = count_built_in (cli->jobs, TRUE);
  if (doctor->migrated && say_left (doctor))
    return;
  if (*chosen != '\0')
    doctor_ok (doctor, "jobs", "[run] jobs = %s: %u of %u built-in jobs are in force", chosen, n,
               all);
  else if (n == 0)
    doctor_ok (
        doctor, "jobs",
        "no built-in job is in force: schema %s lacks their tables (if it should have them, check [postgres] app_schema)",
        schema);
  else if (cli->absent != NULL)
    doctor_ok (doctor, "jobs", "not in force, for lack of tables in schema %s: %s", schema,
               cli->absent);
  else
    doctor_ok (doctor, "jobs", "all %u built-in jobs are in force", all);
}
