#include "engine/clock/hours_changed.h"

#include "base/clock.h"
#include "engine/job/in_force.h"

/* The end of the hours that JOB is in; NULL: it is in none. */
static char *
end_of (const Job *job, gint64 now_us)
{
  const Hours *quiet = in_force_of (job)->quiet;
  const gint64 end_us = quiet != NULL ? hours_end (quiet, now_us) : -1;
  return end_us >= 0 ? clock_format (end_us) : NULL;
}

gboolean
hours_changed (Pg *pg, gboolean *more, GError **error)
{
  GString *names = array_new (), *ends = array_new ();
  gint64 now_us;
  g_autoptr (PgValues) values = pg_values_new ();
  gboolean ok = pg_now_us (pg, &now_us, error);
  for (guint i = 0; ok && i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    g_autofree char *end = end_of (job, now_us);
    array_add (names, job->name);
    array_add (ends, end);
  }
  pg_values_take (values, "job", array_take (names));
  pg_values_take (values, "until", array_take (ends));
  if (!ok)
    return FALSE;
  g_autoptr (PgRows) rows
      = pg_run_alone (pg, "src/engine/clock/sql/hours_changed.sql", values, error);
  *more = rows != NULL && rows_int (rows, 0, "n") > 0;
  return rows != NULL;
}
