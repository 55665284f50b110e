#include "engine/work/retry.h"

#include "base/plural.h"
#include "engine/job/in_force.h"
#include "engine/step/pace.h"
#include "engine/step/ranges.h"
#include "engine/step/trial.h"

#define BLOCKED_RETRY_MS 60000
/* A statement that may only read would have changed rows. */
#define WRITES "25006"
/* A step that a lock stops waits 1 s to this. */
#define BUSY_MAX_MS 10000
/* What a held row keeps is tried again, should nobody say that it was released. */
#define HELD_RETRY_MS (3600 * 1000)

static const char *const VERDICTS[]
    = { "none", "outage", "busy", "retry", "data", "reject", "fatal" };

void
retry_decision_clear (RetryDecision *decision)
{
  g_free (decision->error);
  g_clear_pointer (&decision->result, json_decref);
  if (decision->progress != NULL)
    run_progress_clear (decision->progress);
  g_clear_pointer (&decision->progress, g_free);
}

/* The progress of the next try, to be changed. */
static RunProgress *
next_progress (const Step *step, RetryDecision *decision)
{
  if (decision->progress == NULL) {
    decision->progress = g_new (RunProgress, 1);
    *decision->progress = run_progress_copy (&step->run->progress);
  }
  return decision->progress;
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
cut (const Step *step, const GError *cause, RetryDecision *decision)
{
  decision->limit = pace_less (step);
  if (decision->limit == 0)
    return FALSE;
  if (step->too_wide)
    decision->limit = MIN (decision->limit, pace_weight_fits (step));
  decision->error = g_strdup_printf ("too %s, tried again with %" G_GINT64_FORMAT " %s: %s",
                                     step->too_wide ? "wide" : "slow", decision->limit,
                                     plural (decision->limit, "row", "rows"), cause->message);
  next_progress (step, decision)->limit = decision->limit;
  return TRUE;
}

/* A row that takes too long alone goes in portions from now on (portion.h): that is another way to
 * go, so nothing is charged for the first time. */
static gboolean
turn_to_portions (const Step *step, const GError *cause, RetryDecision *decision)
{
  const RunProgress *progress = &step->run->progress;
  if ((step->finds & (FINDS_IN_PORTIONS | FINDS_BEGUN)) != FINDS_IN_PORTIONS
      || progress->timeouts > 0)
    return FALSE;
  decision->limit = 1;
  decision->error
      = g_strdup_printf ("too slow alone, rows below it go in portions: %s", cause->message);
  next_progress (step, decision)->timeouts++;
  return TRUE;
}

/* Of rows that fail only beside each other half are tried, without delay. Nothing is charged, since
 * the page gets smaller each time, down to one row. */
static gboolean
halve (const Step *step, const GError *cause, RetryDecision *decision)
{
  if (!step->halve || step->bisect->page <= 1)
    return FALSE;
  decision->limit = half_page (step);
  decision->error = g_strdup_printf (
      "some rows fail only together, tried again with %" G_GINT64_FORMAT " rows: %s",
      decision->limit, cause->message);
  next_progress (step, decision)->limit = decision->limit;
  return TRUE;
}

/* A row makes a search fail, which is no fault of the others. From now on rows in quarantine are
 * asked by themselves; if the search fails then as well, each row is, and those at fault are found
 * by the trial. A search with the first of these forms, which no index of the condition serves, can
 * take too long. It is another way to go, so nothing is charged. */
static gboolean
go_by_rows (const Step *step, gboolean timed_out, const GError *cause, RetryDecision *decision)
{
  const Job *next = job_form_next (step->job);
  const gboolean slow = timed_out && step->searching && step->finds & FINDS_BY_ROWS;
  if ((cause->code != PRUNED_DATA && !slow) || step->halve || next == NULL
      || step->finds & FINDS_FOR_EVENT)
    return FALSE;
  decision->by_rows = TRUE;
  decision->error = g_strdup_printf (
      slow ? "the search takes too long, this run checks each row by itself: %s"
      : next->form == FORM_ALL
          ? "the search fails because of a row, this run checks each row by itself: %s"
          : "the search fails because of a row, rows in quarantine are checked by themselves: %s",
      cause->message);
  next_progress (step, decision)->by_rows++;
  return TRUE;
}

static void
charge (const Step *step, gboolean timed_out, const GError *cause, RetryDecision *decision)
{
  const Run *run = step->run;
  decision->attempts = run->attempts + 1;
  decision->delay_ms
      = run->job->retry_every_ms > 0 ? run->job->retry_every_ms : pace_back_off_ms (run->attempts);
  decision->error = g_strdup (cause->message);
  if (decision->attempts > in_force_of (run->job)->max_attempts)
    decision->state = "dead";
  if (step->systemic)
    next_progress (step, decision)->systemic++;
  else if (timed_out)
    next_progress (step, decision)->timeouts++;
}

/* Something that the job needs is missing. A tick's run ends as blocked and is retried later
 * (blocked.h). A run that a parent or an event asked for waits, so that it is not forgotten; its
 * result says so until it goes on or ends (ledger/sql/unblocked.sql). */
static void
block (const Step *step, const GError *cause, RetryDecision *decision)
{
  const gboolean once = step->run->parent_id != NULL || step->finds & FINDS_IN_RANGES
                        || step->finds & FINDS_FOR_EVENT;
  json_object_clear (step->counts); /* of effects that were rolled back */
  decision->result = step_result (step, "blocked");
  json_object_set_new (decision->result, "reason", json_string (cause->message));
  if (once) {
    decision->delay_ms = BLOCKED_RETRY_MS;
    decision->error = g_strdup_printf ("blocked: %s", cause->message);
    return;
  }
  decision->state = "finished";
  decision->blocked = TRUE;
  decision->error = g_strdup (cause->message);
}

const char *
retry_error_class (const char *sqlstate, const GError *cause)
{
  return *sqlstate != '\0' ? sqlstate : VERDICTS[cause->code];
}

static void
by_verdict (const Step *step, const char *sqlstate, const GError *cause, RetryDecision *decision)
{
  const gboolean timed_out = g_str_equal (sqlstate, "57014"),
                 too_large = timed_out || step->too_wide || g_str_equal (sqlstate, "53400");
  *decision
      = (RetryDecision){ .state = "waiting",
                         .attempts = step->run->attempts,
                         .class = step->error_class != NULL ? step->error_class
                                                            : retry_error_class (sqlstate, cause) };
  switch (cause->code) {
  case PRUNED_BUSY:
    decision->delay_ms = g_random_int_range (1000, BUSY_MAX_MS);
    decision->error = g_strdup (cause->message);
    break;
  case PRUNED_REJECT:
    decision->state = "dead";
    decision->attempts++;
    decision->error = g_strdup (cause->message);
    break;
  default:
    if (step->takes_held != NULL && cause->code == PRUNED_DATA && !step->halve) {
      decision->delay_ms = HELD_RETRY_MS;
      decision->class = step->takes_held;
      decision->error = g_strdup_printf ("kept: %s: %s", step->takes_held, cause->message);
    } else if (g_str_has_prefix (sqlstate, "42") || g_str_has_prefix (sqlstate, "3F")
               || g_str_equal (sqlstate, WRITES) || step->blocked)
      block (step, cause, decision);
    else if (go_by_rows (step, timed_out, cause, decision))
      break;
    else if (too_large ? !cut (step, cause, decision) && !turn_to_portions (step, cause, decision)
                       : !halve (step, cause, decision))
      charge (step, timed_out, cause, decision);
  }
}

/* A range whose step failed gives back what is left of it: its run does that, with its own
 * attempts. A run that is about to die takes its ranges in first, so that its end reports all of
 * them. */
static void
cede (const Step *step, RetryDecision *decision)
{
  const Run *run = step->run;
  const gboolean goes_on = !decision->blocked && g_str_equal (decision->state, "waiting")
                           && decision->attempts == run->attempts;
  if (g_str_equal (decision->state, "dead") && step->finds & FINDS_BESIDE && ranges_go (run)) {
    ranges_mark (next_progress (step, decision), "gather");
    decision->state = "waiting";
  } else if (run->range_of == NULL || (goes_on && decision->delay_ms < BLOCKED_RETRY_MS))
    return;
  else {
    g_clear_pointer (&decision->result, json_decref);
    decision->state = "skipped";
  }
  decision->attempts = run->attempts;
  decision->delay_ms = 0;
  decision->blocked = FALSE;
}

void
retry_decide (const Step *step, const char *sqlstate, const GError *cause, RetryDecision *decision)
{
  by_verdict (step, sqlstate, cause, decision);
  cede (step, decision);
}
