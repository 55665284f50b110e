#include "engine/clock/overdue_rows.h"

#include "base/clock.h"
#include "engine/clock/processes.h"
#include "engine/clock/standby.h"
#include "engine/job/in_force.h"
#include "engine/step/overdue.h"

#define SQL "src/engine/clock/sql/"
#define WORK_FOR_US (200 * G_TIME_SPAN_MILLISECOND)

/* The jobs in force, with their rules; those that have none. */
static PgValues *
known_values (void)
{
  const Jobs *jobs = in_force_jobs ();
  GString *names = array_new (), *rules = array_new (), *without = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    g_autoptr (json_t) settings = processes_settings (job), rule = overdue_rule (job, settings);
    g_autofree char *text = rule != NULL ? json_text (rule) : NULL;
    if (rule == NULL)
      array_add (without, job->name);
    else {
      array_add (names, job->name);
      array_add (rules, text);
    }
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "job", array_take (names));
  pg_values_take (values, "rule", array_take (rules));
  pg_values_take (values, "without", array_take (without));
  pg_values_take (values, "known", jobs_array (jobs));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  pg_values_int (values, "days", config_int (in_force_config (), "runs", "keep_days"));
  return values;
}

/* The standby, if it is less than two minutes behind. */
static Pg *
standby_with (Service *service, const PgRows *taken)
{
  g_autoptr (Pg) standby = standby_begin (service);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", rows_text (taken, 0, "job"));
  pg_values_set (values, "taken_at", rows_text (taken, 0, "taken_at"));
  g_autoptr (PgRows) rows
      = standby != NULL ? pg_run_file (standby, SQL "overdue_there.sql", values, NULL) : NULL;
  if (standby != NULL)
    pg_rollback (standby);
  return rows != NULL && rows_count (rows) > 0 ? g_steal_pointer (&standby) : NULL;
}

/* On the standby if there is one; what that cannot say the primary is asked. */
static json_t *
look (Service *service, Pg *pg, const PgRows *taken, const Job *job, const json_t *rule,
      GError **error)
{
  const char *name = rows_text (taken, 0, "job");
  g_autoptr (Pg) standby = standby_with (service, taken);
  g_autoptr (json_t) found = standby != NULL ? overdue_look (standby, name, job, rule, NULL) : NULL;
  return found != NULL && json_object_get (found, "state") == NULL
             ? g_steal_pointer (&found)
             : overdue_look (pg, name, job, rule, error);
}

static gboolean
look_at (Service *service, Pg *pg, const PgRows *taken, GError **error)
{
  const char *name = rows_text (taken, 0, "job");
  const Job *job = rows_bool (taken, 0, "removed") ? NULL : jobs_find (in_force_jobs (), name);
  g_autoptr (json_t) rule = json_loads (rows_text (taken, 0, "rule"), 0, NULL),
                     found = look (service, pg, taken, job, rule, error);
  if (found == NULL)
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", name);
  pg_values_take (values, "found", json_text (found));
  g_autoptr (PgRows) put = pg_run_alone (pg, SQL "overdue_put.sql", values, error);
  return put != NULL;
}

gboolean
overdue_rows_look (Service *service, Pg *pg, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + WORK_FOR_US;
  g_autoptr (PgValues) values = known_values ();
  g_autoptr (PgRows) forgotten = pg_run_alone (pg, SQL "overdue_forget.sql", values, error);
  gboolean more = forgotten != NULL;
  while (more && clock_monotonic_us () < until_us) {
    g_autoptr (PgRows) taken = pg_run_alone (pg, SQL "overdue_take.sql", values, error);
    more = taken != NULL && rows_count (taken) > 0;
    if (taken == NULL || (more && !look_at (service, pg, taken, error)))
      return FALSE;
  }
  service->housekeeping.more = more;
  return forgotten != NULL;
}
