#include "engine/brakes/judge.h"

#include "base/clock.h"
#include "engine/brakes/approved_version.h"
#include "engine/brakes/bound.h"
#include "engine/brakes/held_words.h"
#include "engine/job/sentence/sentence_again.h"

#define SQL "src/engine/brakes/sql/"

void
brake_finding_clear (BrakeFinding *finding)
{
  g_clear_pointer (&finding->error, g_free);
}

#define NO_TIME                                                                                      \
  "; a row makes the search fail, so each is checked by itself; there was no time for all, and the " \
  "others count as if they were due"

#define NO_TIME_FOR_PORTIONS                                                                        \
  "; there was no time to count all, and a run in portions is not to stop with a part of the rows " \
  "below a row gone"

/* An estimate can be wrong. A run that is not to be held midway has to be well within its limits.
 */
static gboolean
is_too_near (const RowLimits *limits, const RunCount *count)
{
  const gint64 least = limits_least (limits);
  return count->whole && count->estimated && count->rows <= least && count->rows > least / 2;
}

/* A run that can have more rows than were counted exceeds the limit that is the lowest. */
static const char *
limit_of (const RowLimits *limits, const RunCount *count)
{
  const gint64 least = limits_least (limits);
  const gboolean open = count->unknown && least < LIMIT_NONE;
  return limits_exceeded (limits, open ? MAX (count->rows, least + 1) : count->rows);
}

/* What has stopped the step holds its run. A run that has not been stepped is judged by COUNT. */
static gboolean
judge_events (Step *step, const RunCount *count, BrakeFinding *finding, GError **error)
{
  StepEvents *events = &finding->limits.events;
  *events = step->events;
  if (events->limit == NULL && event_limits_are_of (step)) {
    if (!event_limits_read (step, step->run->run_id, NULL, 0, events, error))
      return FALSE;
    events->limit = event_limits_exceeded (events, count->rows, count->rows - count->below);
  }
  finding->limit = events->limit;
  return TRUE;
}

gboolean
brake_judge (Step *step, const RunCount *counted, BrakeFinding *finding, GError **error)
{
  const Run *run = step->run;
  const RunCount *count = counted;
  RunCount near = *counted;
  *finding = (BrakeFinding){ .counted = count->rows };
  if (run_is_approved (run) && count->rows <= run->approved_rows) {
    finding->approved = TRUE;
    finding->limited = -1; /* the approval can end before the run does */
    return TRUE;
  }
  if (!limits_read (step, count->below, 0, &finding->limits, error))
    return FALSE;
  RowLimits limits = finding->limits;
  if (!count->unknown && is_too_near (&limits, count)) {
    near.unknown = TRUE;
    count = &near;
  }
  finding->limit = limit_of (&limits, count);
  limits.day = LIMIT_NONE; /* each transaction takes its rows (day.h) */
  finding->limited = limits_least (&limits);
  if (finding->limit == NULL && count->rows > 0 && !judge_events (step, count, finding, error))
    return FALSE;
  if (finding->limit == NULL && !limits_ask (step, count->rows, &finding->limit, error))
    return FALSE;
  if (finding->limit != NULL) {
    g_autofree char *words = held_words (&finding->limits, run, finding->limit, count);
    finding->error = g_strconcat ("held: ", words,
                                  count->most      ? NO_TIME
                                  : count == &near ? NO_TIME_FOR_PORTIONS
                                                   : NULL,
                                  NULL);
  }
  return TRUE;
}

static void
add_outcome (Step *step, const RunCount *count, const BrakeFinding *finding)
{
  g_autoptr (json_t) limits = limits_settings (step->job);
  g_autofree char *limits_text = json_text (limits), *values = json_text (count->values);
  char number[16], counted[24];
  g_snprintf (number, sizeof number, "%d", step->run->step);
  g_snprintf (counted, sizeof counted, "%" G_GINT64_FORMAT, count->rows);
  const char *fields[] = { step->run->run_id, number,  step->job->name,
                           finding->limit,    counted, count->estimated ? "true" : "false",
                           limits_text,       values };
  step_add_outcome (step, "RunHeld", step->run->run_id, fields);
}

gboolean
brake_hold (Step *step, const RunCount *count, const BrakeFinding *finding, GError **error)
{
  gint64 now_us;
  if (!pg_now_us (step->pg, &now_us, error))
    return FALSE;
  g_autofree char *now = clock_format (now_us);
  g_autofree char *known_as = approved_version (step->job);
  g_autoptr (json_t) held
      = json_pack ("{s:s, s:I, s:b, s:s}", "limit", finding->limit, "counted",
                   (json_int_t)count->rows, "estimated", count->estimated, "at", now);
  if (!sentence_is_again (step->job)) /* whose approval says nothing about the job's own runs */
    json_object_update_new (
        held, json_pack ("{s:s, s:s}", "version", step->job->version, "known_as", known_as));
  limits_add_measure (&finding->limits, finding->limit, held);
  json_object_set (held, "values", count->values);
  if (in_force_of (step->job)->limits.approvals > 1)
    json_object_set_new (held, "approvals",
                         json_integer (in_force_of (step->job)->limits.approvals));
  if (step->run->approved_until_us > 0) /* for fewer rows, or too long ago */
    json_object_set_new (held, "approved", json_integer (step->run->approved_rows));
  if (run_was_approved (step->run))
    json_object_set_new (held, "approval_ended", json_true ());
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_take (values, "held", json_text (held));
  g_autoptr (PgRows) done = pg_run_file (step->pg, SQL "held.sql", values, error);
  if (done != NULL)
    add_outcome (step, count, finding);
  return done != NULL;
}

static gboolean
note (Step *step, gint64 counted, gint64 limited, gboolean approved, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_int (values, "counted", counted);
  if (limited >= 0)
    pg_values_int (values, "limited", MIN (limited, LIMIT_MOST));
  else
    pg_values_set (values, "limited", NULL);
  pg_values_set (values, "approved", approved ? "t" : "f");
  g_autoptr (PgRows) done = pg_run_file (step->pg, SQL "counted.sql", values, error);
  return done != NULL;
}

gboolean
brake_let_go (Step *step, const RunCount *count, const BrakeFinding *finding, GError **error)
{
  if (finding->limited >= 0)
    bound_note (step, MIN (finding->limited, LIMIT_MOST));
  return note (step, count->rows, finding->limited, finding->approved, error);
}

gboolean
brake_note_planned (Step *step, gint64 rows, GError **error)
{
  return note (step, rows, -1, TRUE, error);
}
