#include "engine/brakes/event_limits.h"

#define WHOLE (100 * 1000) /* `max_share` in thousandths of a percent: all rows */

static gboolean
has_share (const JobLimits *set)
{
  return set->max_share >= 0 && set->max_share < WHOLE;
}

gboolean
event_limits_are_of (const Step *step)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  return set->approve != APPROVE_NEVER && (set->max_rows >= 0 || has_share (set))
         && !run_is_approved (step->run) && job_event_of (step->job, step->run->args) != NULL;
}

char *
event_limits_keys (const Job *job)
{
  GString *keys = array_new ();
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    if (event->key != NULL)
      array_add (keys, event->key);
  }
  return array_take (keys);
}

/* Rows that have gone are rows of the table, too, where they are known not to be counted. */
static gboolean
read_share (Step *step, gint64 gone, StepEvents *events, GError **error)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  gint64 n;
  gboolean counted;
  if (!has_share (set))
    return TRUE;
  if (!share_read_rows (step, &n, &counted, error))
    return FALSE;
  if (n < 0)
    return TRUE;
  if (!share_removes (step->job))
    gone = 0;
  else
    gone += events->went_day;
  events->of_rows = counted ? n + gone : n;
  const gint64 share = share_limit (events->of_rows, counted ? 0 : gone, set);
  if (share < LIMIT_NONE)
    events->day = share - events->went_day;
  return TRUE;
}

gboolean
event_limits_read (Step *step, const char *but, const char *leases, gint64 gone, StepEvents *events,
                   GError **error)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_set (values, "but", but);
  pg_values_set (values, "leases", leases);
  pg_values_take (values, "event_key", event_limits_keys (step->job));
  pg_values_set (values, "own", step->job->below != NULL ? "t" : "f");
  pg_values_set (values, "counted", step->job->kind->errand ? "f" : "t");
  *events = (StepEvents){ .hour = LIMIT_NONE, .day = LIMIT_NONE };
  g_autoptr (PgRows) rows
      = pg_run_file (step->pg, "src/engine/brakes/sql/events.sql", values, error);
  if (rows == NULL)
    return FALSE;
  events->went_hour = rows_int (rows, 0, "hour");
  events->went_day = rows_int (rows, 0, "day");
  if (set->max_rows >= 0)
    events->hour = set->max_rows - events->went_hour;
  return read_share (step, gone, events, error);
}

const char *
event_limits_exceeded (const StepEvents *events, gint64 rows, gint64 own)
{
  return rows > events->hour ? "max_rows" : own > events->day ? "max_share" : NULL;
}

static gboolean
is_of_hour (const StepEvents *events)
{
  return g_str_equal (events->limit, "max_rows");
}

void
event_limits_add_measure (const StepEvents *events, json_t *held)
{
  if (is_of_hour (events)) {
    json_object_set_new (held, "went_in_hour", json_integer (events->went_hour));
    return;
  }
  json_object_set_new (held, "table_rows", json_integer (events->of_rows));
  json_object_set_new (held, "went_today", json_integer (events->went_day));
}
