/* The keys of a page are tried as a whole under a savepoint. If a row is at fault, halves are tried
 * (always rolled back) until the bad keys are known, then the page is applied once without them.
 * What a trial found out is recorded in the Step only when it stays.
 */
#include "base/clock.h"
#include "engine/step/pace.h"
#include "engine/step/page.h"
#include "engine/step/record.h"

#define SYSTEMIC_TRIES 3

/* Those that were not given back: once more with them, then with all. FALSE: they had all been
 * held. */
static gboolean
hold_more (GPtrArray *held, const GPtrArray *keys, const Trial *trial)
{
  const GPtrArray *more = held->len == 0 ? trial->refused : keys;
  gboolean known = TRUE;
  for (guint i = 0; i < trial->refused->len; i++)
    known &= g_ptr_array_find_with_equal_func (held, trial->refused->pdata[i], g_str_equal, NULL);
  if (known)
    return FALSE;
  g_ptr_array_set_size (held, 0);
  for (guint i = 0; i < more->len; i++)
    g_ptr_array_add (held, g_strdup (more->pdata[i]));
  return TRUE;
}

/* A row that is not given back may have changed since it was decided: then the page is tried again
 * from its locks on, and holds it. One that was held, and is not given back, is refused. */
static gboolean
try_until_it_stands (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial,
                     GError **error)
{
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func (g_free);
  for (;;) {
    if (!trial_run (step, keys, held, extra, trial, error))
      return FALSE;
    if (!hold_more (held, keys, trial))
      return TRUE;
    trial_clear (trial);
    if (!pg_exec (step->pg, "ROLLBACK TO page", error))
      return FALSE;
  }
}

/* A row that takes too long even alone is at fault as one that cannot go, once that has happened as
 * often as a page may be systemic. */
static gboolean
is_at_fault (const Step *step, const GPtrArray *keys, const GError *cause)
{
  if (cause->code == PRUNED_DATA)
    return TRUE;
  gint64 timeouts = json_integer_value (json_object_get (step->run->cursor, PAGE_TIMEOUTS));
  return pace_is_too_slow (step, cause) && keys->len == 1 && timeouts >= SYSTEMIC_TRIES - 1;
}

/* TRUE: the keys went through (KEEP: and stay). FALSE without an error: a row is at fault, *REASON
 * says which words it got. */
static gboolean
try_under_savepoint (Step *step, const GPtrArray *keys, const Extra *extra, gboolean keep,
                     Trial *trial, char **reason, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (!pg_exec (step->pg, "SAVEPOINT page", error))
    return FALSE;
  gboolean ok = try_until_it_stands (step, keys, extra, trial, &cause);
  if (!ok && !is_at_fault (step, keys, cause)) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  if (!ok)
    *reason = g_strdup (cause->message);
  if (!pg_exec (step->pg, ok && keep ? "RELEASE page" : "ROLLBACK TO page", error))
    return FALSE;
  if (!ok || !keep)
    trial_clear (trial);
  return ok;
}

static GPtrArray *
good_keys (const Step *step, const GPtrArray *keys)
{
  GPtrArray *good = g_ptr_array_new ();
  for (guint i = 0; i < keys->len; i++)
    if (!bisect_is_bad (step->bisect, keys->pdata[i]))
      g_ptr_array_add (good, keys->pdata[i]);
  return good;
}

static gboolean
fail_systemic (Step *step, const char *reason, GError **error)
{
  step->systemic = TRUE;
  return step_fail (step, error, PRUNED_RETRY,
                    "systemic: more than half of the page (%u rows) fails alike: %s",
                    step->bisect->page, reason);
}

/* Finds the bad keys. FALSE: an error is set; `again` asks for another transaction. */
static gboolean
bisect_keys (Step *step, const Extra *extra, GError **error)
{
  gboolean last_try
      = json_integer_value (json_object_get (step->run->cursor, "systemic")) >= SYSTEMIC_TRIES - 1;
  BisectSegment *segment;
  for (int trials = 0; (segment = bisect_next (step->bisect)) != NULL; trials++) {
    if (trials == BISECT_TRIALS || step_elapsed_us (step) > PACE_MOST_US / 2) {
      g_queue_push_head (&step->bisect->segments, segment);
      step->again = TRUE;
      return step_fail (step, error, PRUNED_BUSY, "bisection goes on");
    }
    Trial trial = { 0 };
    g_autofree char *reason = NULL;
    GError *cause = NULL;
    gboolean ok = try_under_savepoint (step, segment->keys, extra, FALSE, &trial, &reason, &cause);
    if (cause != NULL) {
      g_queue_push_head (&step->bisect->segments, segment);
      g_propagate_error (error, cause);
      trial_clear (&trial);
      return FALSE;
    }
    bisect_tried (step->bisect, segment, ok ? NULL : reason, pg_sqlstate (step->pg));
    if (!ok && !last_try && bisect_is_systemic (step->bisect))
      return fail_systemic (step, reason, error);
  }
  return TRUE;
}

/* Applies what is good of KEYS, bisecting on the way. */
static gboolean
apply_good (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial, GError **error)
{
  for (int round = 0; round < 2; round++) {
    if (step->bisect->active && !bisect_keys (step, extra, error))
      return FALSE;
    g_autoptr (GPtrArray) good = good_keys (step, keys);
    g_autofree char *reason = NULL;
    GError *cause = NULL;
    if (try_under_savepoint (step, good, extra, TRUE, trial, &reason, &cause))
      return TRUE;
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return FALSE;
    }
    if (step->bisect->settled) /* without its bad keys the page fails again */
    {
      step->halve = TRUE;
      return step_fail (step, error, PRUNED_DATA, "%s", reason);
    }
    step->bisect->settled = TRUE;
    bisect_begin (step->bisect, good);
  }
  step->halve = TRUE;
  return step_fail (step, error, PRUNED_DATA, "the page fails although none of its parts does");
}

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

static void
mark_refused (Step *step, const Trial *trial)
{
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (g_str_equal (trial->what[i], "failed"))
      g_hash_table_add (step->refused, g_strdup (rows_text (trial->decided, i, "key")));
}

gboolean
page_apply (Step *step, GPtrArray *keys, va_list pairs, PgRows **decided, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Extra extra = extra_of (pairs);
  Trial trial = { 0 };
  step_tries (step, keys->len);
  gboolean ok = record_pass_over (step, keys, known, error)
                && apply_good (step, keys, &extra, &trial, error)
                && record_trial (step, keys, &trial, &extra, known, error);
  if (ok) {
    step_tries (step, 0);
    mark_refused (step, &trial);
    *decided = g_steal_pointer (&trial.decided);
    bisect_reset (step->bisect);
  }
  trial_clear (&trial);
  g_ptr_array_unref (extra.names);
  g_ptr_array_unref (extra.texts);
  return ok;
}

const char *
step_what (Step *step, const PgRows *decided, int row)
{
  const char *key = rows_text (decided, row, "key");
  return g_hash_table_contains (step->refused, key) ? "failed" : rows_text (decided, row, "what");
}
