#include "engine/clock/erasures.h"

#include "engine/job/in_force.h"

#define DUE "src/engine/clock/sql/erasures_due.sql"

/* NULL: there are none. */
static char *
names (const Jobs *jobs)
{
  GString *array = array_new ();
  guint n = 0;
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (job_only_starts (jobs_at (jobs, i))) {
      array_add (array, jobs_at (jobs, i)->name);
      n++;
    }
  g_autofree char *all = array_take (array);
  return n > 0 ? g_steal_pointer (&all) : NULL;
}

gboolean
erasures_wake (Service *service, Pg *pg, GError **error)
{
  char *erasures = names (in_force_jobs ());
  if (erasures == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", erasures);
  g_autoptr (PgRows) rows = pg_run_alone (pg, DUE, values, error);
  return rows != NULL;
}
