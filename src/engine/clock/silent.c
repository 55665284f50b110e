#include "engine/clock/silent.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/job/in_force.h"
#include "engine/service/stats.h"

#define EVERY_US (60 * G_TIME_SPAN_MINUTE)

static gint64 said_us; /* when the last line was written; 0: none was */

static void
say (const Job *job, const SentenceEvent *event)
{
  g_autofree char *n = g_strdup_printf ("%.0f", stats_get (STATS_PASSED_OVER, event->topic, NULL));
  g_autofree char *remedy = g_strdup_printf ("pruned check %s --sample 200", job->name);
  log_warning ("No message of a topic fits its section", "job", job->name, "section", event->name,
               "topic", event->topic, "passed_over", n, "remedy", remedy);
  said_us = clock_monotonic_us ();
}

/* Says it of the sections of JOB, if it has had no run. */
static gboolean
look_at (Pg *pg, const Job *job, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (PgRows) rows = NULL;
  pg_values_set (values, "job", job->name);
  for (guint i = 0; in_force_of (job)->enabled && i < job->events->len; i++) {
    const JobEvent *one = job->events->pdata[i];
    const SentenceEvent *event = one->own;
    if (event == NULL || one->by_erasure
        || stats_get (STATS_PASSED_OVER, event->topic, NULL) < SILENT_MESSAGES)
      continue;
    if (rows == NULL && (rows = pg_run_file (pg, SILENT_BEGAN, values, error)) == NULL)
      return FALSE;
    if (!rows_bool (rows, 0, "began"))
      say (job, event);
  }
  return TRUE;
}

gboolean
silent_look (Service *service, Pg *pg, GError **error)
{
  if (said_us != 0 && clock_monotonic_us () - said_us < EVERY_US)
    return TRUE;
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++)
    if (!look_at (pg, jobs_at (in_force_jobs (), i), error))
      return FALSE;
  return TRUE;
}
