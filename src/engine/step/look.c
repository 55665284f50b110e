#include "engine/step/look.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/step/busy.h"
#include "engine/step/guard.h"
#include "engine/step/pace.h"
#include "engine/step/page_event.h"

#define ROUNDS 16                                 /* steps of one run in a transaction, at most */
#define ENOUGH_US (100 * G_TIME_SPAN_MILLISECOND) /* the lane's other messages are waiting */
#define SLICE 100                                 /* runs whose pages are in memory at once */
#define LONGEST_US                                                                                 \
  (5 * G_USEC_PER_SEC) /* after this time the remaining runs are stepped one at a time */

typedef struct {
  Step *step;
  guint question;
} Asker;

/* --- asking --- */

/* The page of the run as it will be once STEP has been settled, if it continues. */
static PgValues *
values_ahead (const Step *step)
{
  Run ahead = step->continues ? step_run_ahead (step) : *step->run;
  return page_values_of (step, &ahead, pace_page_limit (&ahead));
}

/* Askers with the same parameters share one query. */
static gboolean
ask (const Look *look, GArray *askers, GPtrArray *answers, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < askers->len; i++) {
    Asker *asker = &g_array_index (askers, Asker, i);
    const PgStatement *statement = asker->step->job->page;
    g_autoptr (PgValues) values = values_ahead (asker->step);
    g_autofree char *words = pg_values_words (values, statement);
    gpointer question;
    gboolean asked = g_hash_table_lookup_extended (known, words, NULL, &question);
    asker->question = asked ? GPOINTER_TO_UINT (question) : g_hash_table_size (known);
    if (asked)
      continue;
    g_hash_table_insert (known, g_steal_pointer (&words), GUINT_TO_POINTER (asker->question));
    if (!pg_queue (look->pg, statement, values, error))
      return FALSE;
  }
  if (!pg_flush (look->pg, error))
    return FALSE;
  while (answers->len < g_hash_table_size (known)) {
    PgRows *rows = pg_next (look->pg, error);
    if (rows == NULL)
      return FALSE;
    g_ptr_array_add (answers, rows);
    if (!page_is_one (g_array_index (askers, Asker, 0).step->job, rows, error))
      return FALSE;
  }
  return pg_finish (look->pg, error);
}

/* --- answers --- */

/* TRUE: the page had no key, so the step is done. */
static gboolean
was_empty (Step *step, const PgRows *rows)
{
  Run *run = step->run, ahead = step->continues ? step_run_ahead (step) : *run;
  Page page = { 0 };
  page_read (&ahead, rows, pace_page_limit (&ahead), &page);
  /* A cursor that stands still is for the step alone to find (guard.h). */
  gboolean empty = page.keys->len == 0 && guard_page_advances (&ahead, &page);
  if (empty && step->continues)
    step_go_ahead (step);
  if (empty && page.more)
    page_go_on (step, &page, in_force_of (step->job)->delay_ms);
  page_clear (&page);
  return empty;
}

/* Keeps those askers that have another page at once. */
static void
take_answers (const Look *look, GArray *askers, const GPtrArray *answers, gboolean first)
{
  guint kept = 0;
  for (guint i = 0; i < askers->len; i++) {
    Asker asker = g_array_index (askers, Asker, i);
    Step *step = asker.step;
    gboolean empty = was_empty (step, answers->pdata[asker.question]);
    if (first && empty)
      g_ptr_array_add (look->steps, step);
    else if (first) {
      g_hash_table_insert (look->heavy, step->run->run_id, step->run);
      step_free (step);
    }
    if (empty && step->continues && step->next_delay_ms <= 0)
      g_array_index (askers, Asker, kept++) = asker;
  }
  g_array_set_size (askers, kept);
}

/* Runs whose keys page.sql finds, that are no plans, and that began with the version of the job
 * that is in force. The others are marked heavy. */
static GArray *
askers_of (const Look *look, const GPtrArray *runs)
{
  GArray *askers = g_array_new (FALSE, FALSE, sizeof (Asker));
  for (guint i = 0; i < runs->len; i++) {
    Run *run = runs->pdata[i];
    if (run->wrong != NULL || run->job != look->job || run_is_planned (run) || run_in_ranges (run)
        || busy_has (run) || run->progress.portion != NULL || run->progress.by_rows > 0
        || job_event_of (run->job, run->args) != NULL
        || json_object_get (run->args, "cursor") != NULL) {
      g_hash_table_insert (look->heavy, run->run_id, run);
      continue;
    }
    Asker asker = { step_new (look->pg, run, look->prefix, NULL, look->bundle), 0 };
    g_array_append_val (askers, asker);
  }
  return askers;
}

/* All rounds of RUNS, whose pages are in memory at once. */
static gboolean
look_at_slice (Look *look, const GPtrArray *runs, gint64 began_us, GError **error)
{
  g_autoptr (GArray) askers = askers_of (look, runs);
  gboolean ok = TRUE;
  for (guint round = 0; ok && askers->len > 0 && round < ROUNDS; round++) {
    g_autoptr (GPtrArray) answers = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
    ok = ask (look, askers, answers, error);
    if (ok)
      take_answers (look, askers, answers, round == 0);
    else if (round == 0)
      for (guint i = 0; i < askers->len; i++)
        step_free (g_array_index (askers, Asker, i).step);
    if (clock_monotonic_us () - began_us >= ENOUGH_US)
      break;
  }
  return ok;
}

gboolean
look_at_pages (Look *look, const GPtrArray *runs, GError **error)
{
  gint64 began_us = clock_monotonic_us ();
  for (guint from = 0; from < runs->len; from += SLICE) {
    g_autoptr (GPtrArray) slice = g_ptr_array_new ();
    for (guint i = from; i < MIN (from + SLICE, runs->len); i++)
      g_ptr_array_add (slice, runs->pdata[i]);
    if (clock_monotonic_us () - began_us < LONGEST_US) {
      if (!look_at_slice (look, slice, began_us, error))
        return FALSE;
    } else
      for (guint i = 0; i < slice->len; i++)
        g_hash_table_insert (look->heavy, ((Run *)slice->pdata[i])->run_id, slice->pdata[i]);
  }
  return TRUE;
}
