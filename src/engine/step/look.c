#include "engine/step/look.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/step/guard.h"

#define ROUNDS 16                                 /* steps of one run in a transaction, at most */
#define ENOUGH_US (100 * G_TIME_SPAN_MILLISECOND) /* the lane's other messages are waiting */
#define SLICE 100                                 /* runs whose pages are in memory at once */
#define LONGEST_US                                                                                 \
  (5 * G_USEC_PER_SEC) /* after this time the remaining runs are stepped one at a time */

static void
add_heavy (const Look *look, Run *run)
{
  g_hash_table_insert (look->heavy, run->run_id, run);
}

/* Runs that began with the version of the job that is in force, whose keys page.sql finds, and that
 * are no plans. The others are marked heavy. */
static GPtrArray *
steps_of (const Look *look, const GPtrArray *runs)
{
  GPtrArray *steps = g_ptr_array_new ();
  for (guint i = 0; i < runs->len; i++) {
    Run *run = runs->pdata[i];
    if (run->wrong != NULL || run->job != look->job || run_is_planned (run) || !find_is_plain (run)
        || job_event_of (run->job, run->args) != NULL
        || json_object_get (run->args, "cursor") != NULL)
      add_heavy (look, run);
    else
      g_ptr_array_add (steps, step_new (look->pg, run, look->prefix, NULL, look->bundle));
  }
  return steps;
}

/* TRUE: the page of FIND has no key, so its step is done. A cursor that stands still is for the
 * step alone to find (guard.h). */
static gboolean
is_done (const Find *find)
{
  Step *step = find->step;
  const Page *page = &find->page;
  const gboolean empty = page->keys->len == 0 && guard_page_advances (&find->run, page);
  if (empty && step->continues)
    step_go_ahead (step);
  if (empty && page->more)
    page_go_on (step, page, in_force_of (step->job)->delay_ms);
  return empty;
}

/* Where a page ends does not matter to whether it is empty. */
static Find
find_to_look (Step *step)
{
  Find find = find_for (step);
  find.cuts = FALSE;
  return find;
}

/* The next page of each of STEPS, whose runs, at first, have none yet. Those stay in STEPS that
 * have another page at once. */
static gboolean
look_once (Look *look, GPtrArray *steps, gboolean first, GError **error)
{
  g_autoptr (GArray) finds = find_array (steps, find_to_look);
  if (!find_pages ((Find *)(gpointer)finds->data, finds->len, error))
    return FALSE;
  g_ptr_array_set_size (steps, 0);
  for (guint i = 0; i < finds->len; i++) {
    Find *find = &g_array_index (finds, Find, i);
    Step *step = find->step;
    const gboolean done = is_done (find);
    if (first && done)
      g_ptr_array_add (look->steps, step);
    if (done && step->continues && step->next_delay_ms <= 0)
      g_ptr_array_add (steps, step);
    if (first && !done) {
      add_heavy (look, step->run);
      found_pages_keep (look->pages, step->run, &find->page);
      step_free (step);
    }
  }
  return TRUE;
}

/* All rounds of RUNS, whose pages are in memory at once. */
static gboolean
look_at_slice (Look *look, const GPtrArray *runs, gint64 began_us, GError **error)
{
  g_autoptr (GPtrArray) steps = steps_of (look, runs);
  for (guint round = 0; steps->len > 0 && round < ROUNDS; round++) {
    if (!look_once (look, steps, round == 0, error)) {
      g_ptr_array_set_free_func (steps, round == 0 ? (GDestroyNotify)step_free : NULL);
      return FALSE;
    }
    if (clock_monotonic_us () - began_us >= ENOUGH_US)
      break;
  }
  return TRUE;
}

gboolean
look_at_pages (Look *look, const GPtrArray *runs, GError **error)
{
  gint64 began_us = clock_monotonic_us ();
  for (guint from = 0; from < runs->len; from += SLICE) {
    const gboolean late = clock_monotonic_us () - began_us >= LONGEST_US;
    g_autoptr (GPtrArray) slice = g_ptr_array_new ();
    for (guint i = from; i < MIN (from + SLICE, runs->len); i++)
      if (late)
        add_heavy (look, runs->pdata[i]);
      else
        g_ptr_array_add (slice, runs->pdata[i]);
    if (!look_at_slice (look, slice, began_us, error))
      return FALSE;
  }
  return TRUE;
}
