/* A step of a page job: its page is found, then locked, decided and applied. The keys of a page are
 * tried as a whole under a savepoint. If a row is at fault, halves are tried (always rolled back)
 * until the bad keys are known, then the page is applied once without them. What a trial found out
 * is recorded in the Step only when it stays.
 */
#include "engine/step/page.h"

#include "engine/job/in_force.h"
#include "engine/step/busy.h"
#include "engine/step/find.h"
#include "engine/step/pace.h"
#include "engine/step/quarantine.h"
#include "engine/step/portion.h"
#include "engine/step/record.h"
#include "engine/step/trial.h"

#include <stdarg.h>

#define SYSTEMIC_TRIES 3

/* --- their effects --- */

static GPtrArray *
good_keys (const Step *step, const GPtrArray *keys)
{
  GPtrArray *good = g_ptr_array_new ();
  const gboolean none = g_hash_table_size (step->bisect->bad) == 0;
  for (guint i = 0; i < keys->len; i++)
    if (none || !bisect_is_bad (step->bisect, keys->pdata[i]))
      g_ptr_array_add (good, keys->pdata[i]);
  return good;
}

static gboolean
fail_systemic (Step *step, const char *reason, GError **error)
{
  step->systemic = TRUE;
  return step_fail (step, error, PRUNED_RETRY, BISECT_SYSTEMIC, bisect_systemic_rows (step->bisect),
                    step->bisect->page, reason);
}

/* Finds the bad keys. FALSE with an error; `again` asks for another transaction. */
static gboolean
bisect_keys (Step *step, const Extra *extra, GError **error)
{
  /* A condition that fails for most rows of a table is not put right by its rows. */
  gboolean last_try
      = step->run->progress.systemic >= SYSTEMIC_TRIES - 1 && !(step->finds & FINDS_BY_ROWS);
  BisectSegment *segment;
  for (int trials = 0; (segment = bisect_next (step->bisect)) != NULL; trials++) {
    if (trials == BISECT_TRIALS || step_elapsed_us (step) > PACE_MOST_US / 2) {
      g_queue_push_head (&step->bisect->segments, segment);
      step_set_again (step, TRUE);
      return step_fail (step, error, PRUNED_BUSY, "bisection goes on");
    }
    Trial trial = { 0 };
    g_autofree char *reason = NULL;
    GError *cause = NULL;
    gboolean ok = trial_run (step, segment->keys, extra, FALSE, &trial, &reason, &cause);
    if (cause != NULL) {
      g_queue_push_head (&step->bisect->segments, segment);
      g_propagate_error (error, cause);
      trial_clear (&trial);
      return FALSE;
    }
    bisect_tried (step->bisect, segment, ok ? NULL : reason,
                  step->takes_held != NULL ? step->takes_held : pg_sqlstate (step->pg),
                  pg_lock (step->pg) == PG_LOCK_UNPLACED);
    if (!ok && bisect_is_all_busy (step->bisect)) {
      busy_set_held (step, TRUE);
      return step_fail (step, error, PRUNED_BUSY,
                        "more than half of the page (%u rows) is locked by other sessions: %s",
                        step->bisect->page, reason);
    }
    if (!ok && !last_try && bisect_systemic_rows (step->bisect) > 0)
      return fail_systemic (step, reason, error);
  }
  return TRUE;
}

/* Applies the good ones of KEYS, and bisects where that fails. */
static gboolean
apply_good (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial, GError **error)
{
  if (step->held)
    busy_set_held (step, FALSE);
  for (int round = 0; round < 2; round++) {
    if (step->bisect->active && !bisect_keys (step, extra, error))
      return FALSE;
    g_autoptr (GPtrArray) good = good_keys (step, keys);
    g_autofree char *reason = NULL;
    GError *cause = NULL;
    const guint bad = g_hash_table_size (step->bisect->bad);
    if (trial_run (step, good, extra, TRUE, trial, &reason, &cause))
      return TRUE;
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return FALSE;
    }
    if (g_hash_table_size (step->bisect->bad) > bad) { /* it has named them */
      round--;
      continue;
    }
    /* The page fails again without its bad keys. */
    if (step->bisect->settled && step->bisect->locked
        && g_str_equal (pg_sqlstate (step->pg), BISECT_BUSY)) {
      busy_set_held (step, TRUE);
      return step_fail (step, error, PRUNED_BUSY, "%s", reason);
    }
    if (step->bisect->settled) {
      step->halve = TRUE;
      return step_fail (step, error, PRUNED_DATA, "%s", reason);
    }
    step->bisect->settled = TRUE;
    bisect_begin (step->bisect, good);
  }
  step->halve = TRUE;
  return step_fail (step, error, PRUNED_DATA, "the page fails although none of its parts does");
}

static void
mark_refused (Step *step, const Trial *trial)
{
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (g_str_equal (trial->what[i], "failed"))
      g_hash_table_add (step->refused, g_strdup (rows_text (trial->decided, i, "key")));
}

gboolean
page_apply_keys (Step *step, GPtrArray *keys, const Extra *extra, PgRows **decided, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Trial trial = { 0 };
  step_tries (step, step->portion ? step_limit (step, step->job->sentence->portion) : keys->len);
  gboolean ok = quarantine_pass_over (step, keys, known, error)
                && apply_good (step, keys, extra, &trial, error)
                && record_trial (step, keys, &trial, extra, known, error);
  if (ok) {
    step_tries (step, 0);
    mark_refused (step, &trial);
    *decided = g_steal_pointer (&trial.decided);
    bisect_reset (step->bisect);
  }
  trial_clear (&trial);
  return ok;
}

/* A key that is not finished comes again after all others: for jobs whose locks choose among a
 * key's rows. */
static gboolean
may_leave_some (const Step *step)
{
  gboolean chooses = FALSE;
  for (guint i = 0; i < step->job->locks->len; i++)
    chooses |= pg_statement_wants (step->job->locks->pdata[i], "rows");
  return chooses && step_is_cut (step);
}

/* The row stays, and rows below it go. */
static gboolean
apply_portion (Step *step, Page *page, PgRows **decided, GError **error)
{
  if (step->shared)
    return step_fail (step, error, PRUNED_BUSY, "rows go in portions; tried again alone");
  step->portion = TRUE;
  return page_apply_keys (step, page->keys, NULL, decided, error);
}

gboolean
page_apply (Step *step, GError **error)
{
  Page page = { 0 };
  g_autoptr (PgRows) decided = NULL;
  gboolean ok = find_page (step, &page, error);
  ok = ok
       && (page.keys->len == 0
           || (page.large ? apply_portion (step, &page, &decided, error)
                          : page_apply_keys (step, page.keys, NULL, &decided, error)));
  if (ok) {
    find_kept_used (step, &page);
    if (step->finds & (FINDS_IN_PORTIONS | FINDS_BEGUN))
      portion_note (step, decided, &page);
    if (step->finds & FINDS_AGAIN)
      busy_note_looked (step, &page);
  }
  gboolean look_again = ok && page.keys->len > 0 && page.cursor != NULL && may_leave_some (step);
  if (ok && (page.more || look_again))
    page_go_on (step, &page, in_force_of (step->job)->delay_ms);
  else if (ok && !(step->finds & FINDS_BESIDE)
           && (step->finds & FINDS_AGAIN || step->busy_items->len > 0))
    busy_end (step, &page);
  page_clear (&page);
  return ok;
}

/* Borrows names and texts. */
static Extra
extra_of (va_list pairs)
{
  Extra extra = { g_ptr_array_new (), g_ptr_array_new () };
  for (const char *name; (name = va_arg (pairs, const char *)) != NULL;) {
    g_ptr_array_add (extra.names, (gpointer)name);
    g_ptr_array_add (extra.texts, va_arg (pairs, gpointer));
  }
  return extra;
}

PgRows *
step_page (Step *step, GError **error, const char *keys, ...)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = g_strsplit_set (keys, "{,}", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (list, g_strdup (parts[i]));
  PgRows *decided = NULL;
  va_list pairs;
  va_start (pairs, keys);
  Extra extra = extra_of (pairs);
  va_end (pairs);
  GError *cause = NULL;
  g_autoptr (json_t) counts = json_deep_copy (step->counts);
  gboolean ok
      = beside_pause (step, &cause) && page_apply_keys (step, list, &extra, &decided, &cause);
  g_ptr_array_unref (extra.names);
  g_ptr_array_unref (extra.texts);
  if (ok && beside_resume (step, error))
    return decided;
  if (ok) {
    g_clear_pointer (&decided, rows_free);
    return NULL;
  }
  if (!step->held) {
    g_propagate_error (error, cause);
    return NULL;
  }
  json_decref (step->counts); /* those of a page that did not stand */
  step->counts = g_steal_pointer (&counts);
  ok = busy_note_held (step, cause->message, error) && beside_resume (step, error);
  g_error_free (cause);
  return NULL;
}

const char *
step_what (Step *step, const PgRows *decided, int row)
{
  const char *key = rows_text (decided, row, "key");
  return g_hash_table_contains (step->refused, key) ? "failed" : rows_text (decided, row, "what");
}
