#include "engine/clock/reads.h"

#include "engine/job/in_force.h"
#include "engine/job/job_reads.h"

#define SQL "src/engine/clock/sql/"

/* NULL: there are none. ALL: also those that read nothing. */
static PgValues *
told_values (const Jobs *jobs, gboolean all)
{
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  g_autofree char *ours = g_strconcat (prefix, ".events", NULL);
  GString *names = array_new (), *reads = array_new ();
  guint n = 0;
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    g_autoptr (json_t) one = job_reads_of (job, ours);
    g_autofree char *text = one != NULL ? json_text (one) : NULL;
    if (text == NULL && !all)
      continue;
    array_add (names, job->name);
    array_add (reads, text);
    n++;
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "job", array_take (names));
  pg_values_take (values, "reads", array_take (reads));
  if (n == 0)
    g_clear_pointer (&values, pg_values_free);
  return values;
}

/* NULL: there are none. */
static PgValues *
removed_values (const Jobs *jobs)
{
  const Job *job;
  GString *names = array_new ();
  for (guint i = 0; (job = jobs_removed_at (jobs, i)) != NULL; i++)
    array_add (names, job->name);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "removed", array_take (names));
  if (jobs_removed_at (jobs, 0) == NULL)
    g_clear_pointer (&values, pg_values_free);
  return values;
}

static gboolean
run (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) rows = values != NULL ? pg_run_file (pg, file, values, error) : NULL;
  return values == NULL || rows != NULL;
}

gboolean
reads_tell (Pg *pg, GError **error)
{
  static guint told; /* the number of the jobs that were told as a whole */
  const Jobs *jobs = in_force_jobs ();
  gboolean all = told != in_force_number ();
  g_autoptr (PgValues) values = told_values (jobs, all),
                       removed = all ? removed_values (jobs) : NULL;
  if (!run (pg, SQL "reads_tell.sql", values, error)
      || !run (pg, SQL "reads_forget.sql", removed, error))
    return FALSE;
  told = in_force_number ();
  return TRUE;
}
