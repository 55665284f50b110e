#include "engine/work/ready.h"

#include "base/clock.h"
#include "engine/job/arguments.h"
#include "engine/job/job_rows.h"
#include "pg/quoted.h"

#include <string.h>

/* Is something missing that the job says it cannot do without? STATEMENT can be NULL. */
static gboolean
check_blocked (Step *step, const PgStatement *statement, GError **error)
{
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  g_autoptr (PgRows) reasons = pg_run (step->pg, statement, values, error);
  if (reasons == NULL || rows_count (reasons) == 0)
    return reasons != NULL;
  if (!job_rows_are_whole (statement, reasons, "reason", error))
    return FALSE;
  return step_block (step, error, "%s", rows_text (reasons, 0, "reason"));
}

/* The same, for what is too dear to be asked at each step. That nothing is missing holds for the
 * minute, on this connection. */
static gboolean
check_blocked_minute (Step *step, GError **error)
{
  const PgStatement *statement = step->job->blocked_minute;
  if (statement == NULL)
    return TRUE;
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  const PgRows *reasons = pg_run_kept (step->pg, statement, values, minute, error);
  return reasons != NULL && (rows_count (reasons) == 0 || check_blocked (step, statement, error));
}

/* What a folder of one's own says that it needs: its files need not read it. That it is there holds
 * for the minute, on this connection. */
static gboolean
check_needs (Step *step, GError **error)
{
  const Job *job = step->job;
  if (job->built_in || job->sentence != NULL || job->needs == NULL || job->needs[0] == NULL)
    return TRUE;
  GString *relations = array_new (), *names = array_new ();
  for (char **need = job->needs; *need != NULL; need++) {
    const char *dot = strrchr (*need, '.');
    g_autofree char *table = dot != NULL ? g_strndup (*need, (gsize)(dot - *need)) : NULL,
                    *column = dot != NULL ? quoted_bare (dot + 1) : NULL;
    array_add (relations, table != NULL ? table : *need);
    array_add (names, column != NULL ? column : "");
  }
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "relation", array_take (relations));
  pg_values_take (values, "name", array_take (names));
  const PgStatement *statement = pg_statement ("src/engine/work/sql/needs.sql");
  const PgRows *reasons = pg_run_kept (step->pg, statement, values, minute, error);
  if (reasons == NULL || rows_count (reasons) == 0)
    return reasons != NULL;
  g_autoptr (PgRows) now = pg_run (step->pg, statement, values, error);
  if (now == NULL || rows_count (now) == 0)
    return now != NULL;
  return step_block (step, error, "%s", rows_text (now, 0, "reason"));
}

/* Arguments that are wrong at every try. */
static gboolean
check_args (Step *step, GError **error)
{
  g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
  if (step->run->wrong != NULL)
    return step_fail (step, error, PRUNED_REJECT, "%s", step->run->wrong);
  return reason == NULL || step_fail (step, error, PRUNED_REJECT, "args: %s", reason);
}

gboolean
step_is_ready (Step *step, GError **error)
{
  return check_args (step, error) && step_complete (step, error) && check_needs (step, error)
         && check_blocked (step, step->job->blocked, error) && check_blocked_minute (step, error);
}
