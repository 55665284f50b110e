#include "engine/work/ruling.h"

#include "engine/job/in_force.h"
#include "engine/step/pace.h"
#include "engine/step/page_event.h"
#include "engine/step/ranges.h"
#include "engine/step/trial.h"

#define BLOCKED_RETRY_MS 60000
#define BUSY_MAX_MS 10000 /* of the 1-30 s by which a lock can delay a step */

static const char *const VERDICTS[]
    = { "none", "outage", "busy", "retry", "data", "reject", "fatal" };

void
ruling_clear (Ruling *ruling)
{
  g_free (ruling->error);
  g_clear_pointer (&ruling->cursor, json_decref);
  g_clear_pointer (&ruling->result, json_decref);
}

/* Half of the page that failed, which may have been smaller than its limit. */
static int
half_page (const Step *step)
{
  int size = pace_page_limit (step->run);
  if (step->bisect != NULL && step->bisect->page > 0)
    size = MIN (size, (int)step->bisect->page);
  return MAX (1, size / 2);
}

/* The next try is about fewer rows, at once. FALSE: one row alone takes too long. */
static gboolean
cut (const Step *step, const GError *cause, Ruling *ruling)
{
  ruling->limit = pace_less (step);
  if (ruling->limit == 0)
    return FALSE;
  ruling->error = g_strdup_printf ("too slow, tried again with %" G_GINT64_FORMAT " rows: %s",
                                   ruling->limit, cause->message);
  ruling->cursor = run_cursor_with (step->run, "limit", ruling->limit);
  return TRUE;
}

static void
count_in_cursor (const Step *step, const char *key, Ruling *ruling)
{
  ruling->cursor = run_cursor_with (
      step->run, key, json_integer_value (json_object_get (step->run->cursor, key)) + 1);
}

/* A row that takes too long alone goes in portions from now on (portion.h): that is another way to
 * go, so nothing is charged for the first time. */
static gboolean
turn_to_portions (const Step *step, const GError *cause, Ruling *ruling)
{
  const json_t *cursor = step->run->cursor;
  if (step->job->large == NULL || json_object_get (cursor, RUN_PORTION) != NULL
      || json_object_get (cursor, TRIAL_TIMEOUTS) != NULL)
    return FALSE;
  ruling->limit = 1;
  ruling->error
      = g_strdup_printf ("too slow alone, rows below it go in portions: %s", cause->message);
  count_in_cursor (step, TRIAL_TIMEOUTS, ruling);
  return TRUE;
}

static void
charge (const Step *step, gboolean timed_out, const GError *cause, Ruling *ruling)
{
  const Run *run = step->run;
  ruling->attempts = run->attempts + 1;
  ruling->delay_ms
      = run->job->retry_every_ms > 0 ? run->job->retry_every_ms : pace_back_off_ms (run->attempts);
  ruling->error = g_strdup (cause->message);
  if (ruling->attempts > in_force_of (run->job)->max_attempts)
    ruling->state = "dead";
  if (step->halve)
    ruling->cursor = run_cursor_with (run, "limit", half_page (step));
  else if (step->systemic)
    count_in_cursor (step, "systemic", ruling);
  else if (timed_out)
    count_in_cursor (step, TRIAL_TIMEOUTS, ruling);
}

/* Something that the job needs is missing. A tick's run ends as blocked and is retried later
 * (blocked.h). A run that a parent or an event asked for waits, so that it is not forgotten. */
static void
block (const Step *step, const GError *cause, Ruling *ruling)
{
  Page page = { 0 };
  gboolean once = step->run->parent_id != NULL || run_in_ranges (step->run)
                  || page_of_event (step->run, &page);
  page_clear (&page);
  if (once) {
    ruling->delay_ms = BLOCKED_RETRY_MS;
    ruling->error = g_strdup_printf ("blocked: %s", cause->message);
    return;
  }
  ruling->state = "finished";
  ruling->blocked = TRUE;
  ruling->error = g_strdup (cause->message);
  json_object_clear (step->counts); /* of effects that were rolled back */
  ruling->result = step_result (step, "blocked");
  json_object_set_new (ruling->result, "reason", json_string (cause->message));
}

const char *
ruling_class (const char *sqlstate, const GError *cause)
{
  return *sqlstate != '\0' ? sqlstate : VERDICTS[cause->code];
}

static void
decide (const Step *step, const char *sqlstate, const GError *cause, Ruling *ruling)
{
  gboolean timed_out = g_str_equal (sqlstate, "57014");
  *ruling = (Ruling){ .state = "waiting",
                      .attempts = step->run->attempts,
                      .class = step->error_class != NULL ? step->error_class
                                                         : ruling_class (sqlstate, cause) };
  switch (cause->code) {
  case PRUNED_BUSY:
    ruling->delay_ms = g_random_int_range (1000, BUSY_MAX_MS);
    ruling->error = g_strdup (cause->message);
    break;
  case PRUNED_REJECT:
    ruling->state = "dead";
    ruling->attempts++;
    ruling->error = g_strdup (cause->message);
    break;
  default:
    if (g_str_has_prefix (sqlstate, "42") || g_str_has_prefix (sqlstate, "3F") || step->blocked)
      block (step, cause, ruling);
    else if (!timed_out || (!cut (step, cause, ruling) && !turn_to_portions (step, cause, ruling)))
      charge (step, timed_out, cause, ruling);
  }
}

/* A range whose step failed gives back what is left of it: its run does that, with its own
 * attempts. A run that is about to die takes its ranges in first, so that its end reports all of
 * them. */
static void
cede (const Step *step, Ruling *ruling)
{
  const Run *run = step->run;
  const gboolean goes_on = !ruling->blocked && g_str_equal (ruling->state, "waiting")
                           && ruling->attempts == run->attempts;
  if (g_str_equal (ruling->state, "dead") && ranges_go (run)) {
    json_t *marked
        = ranges_marked (ruling->cursor != NULL ? ruling->cursor : run->cursor, "gather");
    g_clear_pointer (&ruling->cursor, json_decref);
    ruling->cursor = marked;
    ruling->state = "waiting";
  } else if (run->range_of == NULL || (goes_on && ruling->delay_ms < BLOCKED_RETRY_MS))
    return;
  else {
    g_clear_pointer (&ruling->result, json_decref);
    ruling->state = "skipped";
  }
  ruling->attempts = run->attempts;
  ruling->delay_ms = 0;
  ruling->blocked = FALSE;
}

void
ruling_pass (const Step *step, const char *sqlstate, const GError *cause, Ruling *ruling)
{
  decide (step, sqlstate, cause, ruling);
  cede (step, ruling);
}
