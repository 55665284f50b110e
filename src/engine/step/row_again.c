#include "engine/step/row_again.h"

#include "engine/ledger/named_row.h"

/* What a further pass counts anew: these rows are on its pages again. The first is no number, and
 * the next is a JobWhat's. */
static const char *const COUNTED_ANEW[]
    = { STEP_KEPT, "kept", "kept_hold", "kept_restored", "failed", "passed_over" };

gboolean
row_again_is (const Step *step)
{
  return step->run->waits_for != NULL || step->run->progress.again > 0;
}

void
row_again_wait_for (Step *step, const char *item, const char *why, gint64 ms)
{
  g_autofree char *name = g_strdup (item); /* it may be that of before */
  g_free (step->waits_for);
  g_free (step->waits_why);
  step->waits_for = g_steal_pointer (&name);
  step->waits_why = g_strdup (why);
  step->waits_ms = MAX (ms, 1);
}

void
row_again_note (Step *step, const char *item, const char *why, gint64 wait_ms)
{
  if (job_is_asked (step->job, step->run->args)
      && (step->waits_for == NULL || step->waits_ms > wait_ms + 1))
    row_again_wait_for (step, item, why,
                        wait_ms + 1); /* the entry's time has parts of a millisecond */
}

static void
wait_for_row (Step *step)
{
  if (step->waits_for == NULL)
    return;
  if (!step->continues)
    step_continue (step, NULL, 0);
  step_put_off (step, step->waits_why, step->waits_ms);
}

/* --- rows that an event has named by columns --- */

/* What rows of earlier pages wait for counts as if it were of this one. */
static void
take_noted (Step *step)
{
  const json_t *noted = step->run->progress.waits;
  const char *item = json_string_value (json_object_get (noted, "item")),
             *why = json_string_value (json_object_get (noted, "why"));
  const gint64 at_us = json_integer_value (json_object_get (noted, "at"));
  const gint64 ms = MAX (0, (at_us - step->run->now_us) / 1000);
  if (item == NULL || why == NULL || (step->waits_for != NULL && step->waits_ms <= ms))
    return;
  row_again_wait_for (step, item, why, ms);
}

/* More pages follow. */
static void
note_for_end (Step *step)
{
  if (step->waits_for != NULL)
    run_progress_set (&step->next.waits,
                      json_pack ("{s:s, s:s, s:I}", "item", step->waits_for, "why", step->waits_why,
                                 "at", (json_int_t)(step->run->now_us + step->waits_ms * 1000)));
  g_clear_pointer (&step->waits_for, g_free);
}

static gint64
count_of (const Step *step, const char *counter)
{
  return json_integer_value (json_object_get (step->run->result, counter))
         + json_integer_value (json_object_get (step->counts, counter));
}

/* Whether a row was on any page. */
static gboolean
has_met_rows (const Step *step)
{
  gint64 n = 0;
  for (guint i = 2; i < G_N_ELEMENTS (COUNTED_ANEW); i++)
    n += count_of (step, COUNTED_ANEW[i]);
  for (guint i = 0; i < step->job->whats->len; i++)
    n += count_of (step, ((const JobWhat *)step->job->whats->pdata[i])->counter);
  return n > 0;
}

gboolean
row_again_found_none (const Step *step)
{
  return job_is_asked_for_rows (step->job, step->run->args)
             ? !has_met_rows (step)
             : json_integer_value (json_object_get (step->counts, "gone")) > 0;
}

static void
answer_gone (const Step *step)
{
  Run run = *step->run;
  run.job = step->job;
  named_row_tell (step->bundle, &run, step->prefix, (NamedEnd){ NULL, "gone", NULL });
}

/* The pages are done: they begin anew once a row that failed may be tried. */
static void
end_pass (Step *step)
{
  if (step->waits_for == NULL) {
    if (!has_met_rows (step))
      answer_gone (step);
    return;
  }
  step_continue (step, json_object (), 0);
  run_progress_set (&step->next.waits, NULL);
  step->next.again = step->run->progress.again + 1;
  wait_for_row (step);
}

void
row_again_begin (Step *step)
{
  if (step->run->waits_for == NULL || !job_is_asked_for_rows (step->job, step->run->args))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (COUNTED_ANEW); i++)
    json_object_del (step->run->result, COUNTED_ANEW[i]);
}

void
row_again_wait (Step *step)
{
  if (!job_is_asked_for_rows (step->job, step->run->args)) {
    wait_for_row (step);
    return;
  }
  take_noted (step);
  if (step->continues)
    note_for_end (step);
  else
    end_pass (step);
}
