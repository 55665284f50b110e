#include "engine/step/busy.h"

#include "base/plural.h"
#include "engine/job/in_force.h"
#include "engine/step/portion.h"
#include "engine/step/quarantine.h"

#include <string.h>

#define SQL "src/engine/step/sql/"

/* Until each look, milliseconds: most transactions of an application are over by then. */
static const gint64 LOOK_MS[BUSY_LOOKS] = { 1000, 3000 };

gboolean
busy_is (const Step *step, const GError *cause)
{
  const PgLock lock = pg_lock (step->pg);
  return step->passes_busy && !step->shared && step->bisect != NULL && step->job->table != NULL
         && cause->code == PRUNED_BUSY && (lock == PG_LOCK_ROW || lock == PG_LOCK_UNPLACED);
}

void
busy_set_held (Step *step, gboolean held)
{
  step->held = held;
}

gboolean
busy_hurry (Step *step, GError **error)
{
  return pg_exec_later (step->pg, "SET LOCAL lock_timeout = '" BUSY_WAIT "'", error);
}

void
busy_pass_over (Step *step, const char *key, const char *why)
{
  g_ptr_array_add (step->busy_items, job_item (step->job, key));
  g_free (step->busy_why);
  step->busy_why = g_strdup (why);
  step_count (step, BUSY_COUNTER, 1);
}

gboolean
busy_note_held (Step *step, const char *why, GError **error)
{
  step->held = TRUE;
  g_free (step->busy_why);
  step->busy_why = g_strdup (why);
  bisect_reset (step->bisect);
  return pg_exec_later (step->pg, "SET LOCAL lock_timeout = '" BUSY_WAIT "'", error);
}

static gint64
passed_over (const Run *run)
{
  return json_integer_value (json_object_get (run->result, BUSY_COUNTER));
}

static int
looks (const Run *run)
{
  return (int)CLAMP (run->progress.looks, 0, BUSY_LOOKS);
}

static gboolean
is_looked_at (const Run *run)
{
  return looks (run) > 0;
}

/* A decision can be asked for at once: it repeats all that a page looks for. That of a folder can
 * leave something to its page (the run's arguments). */
static gboolean
is_decided (const Job *job)
{
  return job->decide != NULL && (job->built_in || job->sentence != NULL);
}

gboolean
busy_is_decided (const Step *step)
{
  return is_looked_at (step->run) && is_decided (step->job);
}

/* The latest LIMIT rows that were busy; of ITEMS (of char), if that is not NULL. */
static PgRows *
ask_again (Step *step, const GPtrArray *items, gint64 limit, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_set (values, "tab", step->job->table);
  pg_values_take (values, "item", items != NULL ? array_of_texts (items) : NULL);
  pg_values_int (values, "limit", limit);
  return pg_run_file (step->pg, SQL "busy_again.sql", values, error);
}

gboolean
busy_set_page (Step *step, int limit, Page *page, GError **error)
{
  const Job *job = step->job;
  const gsize table = strlen (job->table) + 1; /* of items `uploads:1` */
  g_autoptr (PgRows) rows
      = ask_again (step, NULL, job->large != NULL ? 1 : limit, error); /* each by its size */
  if (rows == NULL)
    return FALSE;
  *page = (Page){ .keys = g_ptr_array_new_with_free_func (g_free),
                  .cursor = json_deep_copy (step->run->cursor),
                  .progress = run_progress_behind (step->run) };
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (page->keys, g_strdup (rows_text (rows, i, "item") + table));
  return TRUE;
}

gboolean
busy_sift (Step *step, Page *page, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) busy = g_hash_table_new (g_str_hash, g_str_equal);
  if (!is_looked_at (step->run) || page->keys->len == 0)
    return TRUE;
  for (guint i = 0; i < page->keys->len; i++)
    g_ptr_array_add (items, job_item (step->job, page->keys->pdata[i]));
  g_autoptr (PgRows) rows = ask_again (step, items, items->len, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    g_hash_table_add (busy, (gpointer)rows_text (rows, i, "item"));
  for (guint i = items->len; i-- > 0 && rows != NULL;)
    if (!g_hash_table_contains (busy, items->pdata[i]))
      g_ptr_array_remove_index (page->keys, i);
  return rows != NULL;
}

void
busy_note_looked (Step *step, const Page *page)
{
  Run *run = step->run;
  if (!is_looked_at (run))
    return;
  /* those of this page that are busy have been counted again */
  const gint64 left = MAX (0, passed_over (run) - (gint64)page->keys->len);
  if (run->result != NULL && left > 0)
    json_object_set_new (run->result, BUSY_COUNTER, json_integer (left));
  else if (run->result != NULL)
    json_object_del (run->result, BUSY_COUNTER);
}

/* Those of the next look are all that count. */
static void
forget_count (Step *step)
{
  json_object_del (step->run->result, BUSY_COUNTER);
  json_object_del (step->counts, BUSY_COUNTER);
}

/* One line a run, however many they are. */
static void
say_left (Step *step, gint64 n)
{
  step_log (step, LOG_WARNING,
            "Rows that other sessions hold were passed over; the next run tries them again",
            json_pack ("{s:s, s:I, s:s?}", "table", step->job->table, "rows", (json_int_t)n,
                       "error", step->busy_why));
}

void
busy_end (Step *step, const Page *page)
{
  const Run *run = step->run;
  const gint64 n
      = passed_over (run) + json_integer_value (json_object_get (step->counts, BUSY_COUNTER));
  const int look = looks (run);
  if (n == 0 || run->range_of != NULL)
    return;
  if (look == BUSY_LOOKS) {
    say_left (step, n);
    return;
  }
  const gboolean own = step->job->page == NULL; /* keys */
  g_autofree char *why = g_strdup_printf ("busy: %" G_GINT64_FORMAT " %s by other sessions (%s); "
                                          "the run looks again before it ends",
                                          n, plural (n, "row is held", "rows are held"),
                                          step->busy_why != NULL ? step->busy_why : "as before");
  step_wait (step, why, is_decided (step->job) && !own ? NULL : json_object (), LOOK_MS[look]);
  if (page != NULL && (is_decided (step->job) || own))
    page_go_on (step, page, LOOK_MS[look]);
  run_progress_set (&step->next.ranges, NULL); /* they have all ended */
  step->next.looks = look + 1;
  if (own) /* else busy_note_looked counts */
    forget_count (step);
}

gboolean
busy_settle (Step *step, GError **error)
{
  char *states = quarantine_states (step->pg, step->busy_items, error);
  if (states == NULL)
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_take (values, "item", array_of_texts (step->busy_items));
  pg_values_take (values, "state", states);
  g_autoptr (PgRows) put = pg_run_file (step->pg, SQL "busy_put.sql", values, error);
  return put != NULL;
}

/* --- what jobs see of it (pruned/job.h) --- */

gboolean
step_is_busy (const Step *step, const char *key)
{
  g_autofree char *item = job_item (step->job, key);
  return g_ptr_array_find_with_equal_func (step->busy_items, item, g_str_equal, NULL);
}

gboolean
step_is_lock (const Step *step, const GError *cause)
{
  return busy_is (step, cause);
}

gboolean
step_is_held (const Step *step)
{
  return step->held;
}

void
step_pass_over (Step *step, const char *item, const char *why)
{
  if (why != NULL) {
    g_free (step->busy_why);
    step->busy_why = g_strdup (why);
  }
  g_ptr_array_add (step->busy_items, g_strdup (item));
  step_count (step, BUSY_COUNTER, 1);
}

void
step_look_again (Step *step, json_t *cursor)
{
  Page page = { .cursor = cursor, .progress = run_progress_behind (step->run) };
  busy_end (step, cursor != NULL ? &page : NULL);
  page_clear (&page);
}
