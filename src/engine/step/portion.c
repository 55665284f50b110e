#include "engine/step/portion.h"

#include "engine/step/pace.h"
#include "engine/step/trial.h"

#define WORD "portion" /* of the decision: rows below the row go */

static const json_t *
begun (const Run *run)
{
  return run->progress.portion;
}

static gint64
gone_below (const Run *run)
{
  return json_integer_value (json_object_get (begun (run), "gone"));
}

gboolean
portion_is_begun (const Step *step)
{
  const json_t *row = begun (step->run);
  return step->job->sentence != NULL && json_is_string (json_object_get (row, "key"))
         && json_is_object (json_object_get (row, "behind"));
}

void
portion_set_page (const Step *step, Page *page)
{
  const json_t *row = begun (step->run);
  *page = (Page){ .keys = g_ptr_array_new_with_free_func (g_free),
                  .more = TRUE,
                  .cursor = json_deep_copy (json_object_get (row, "behind")),
                  .progress = run_progress_behind (step->run) };
  g_ptr_array_add (page->keys, g_strdup (json_string_value (json_object_get (row, "key"))));
}

/* How many rows below a row may go with it. The run's limit is a number of such rows only once it
 * has begun one; before that it is one of rows of the table itself, which says nothing about them.
 * A row that takes too long alone goes in portions, however few are below it. */
static gint64
most_below (const Step *step)
{
  const Run *run = step->run;
  const gint64 most = step->job->sentence->portion;
  return begun (run) != NULL || run->progress.timeouts > 0 ? pace_limit_within (run, most) : most;
}

/* *AT: which of KEYS has too many rows below it, from 1 on; 0: none. */
static gboolean
ask_large (Step *step, const GPtrArray *keys, gint64 *at, GError **error)
{
  g_autoptr (PgValues) values = trial_values (step, step->job->large, NULL);
  pg_values_int (values, "portion", most_below (step));
  pg_values_take (values, "key", array_of_texts (keys));
  g_autoptr (PgRows) rows = pg_run (step->pg, step->job->large, values, error);
  *at = rows != NULL && rows_count (rows) > 0 ? rows_int (rows, 0, "pos") : 0;
  return rows != NULL;
}

gboolean
portion_cut (Step *step, const PgRows *rows, Page *page, GError **error)
{
  gint64 at;
  if (step->job->large == NULL || page->keys->len == 0)
    return TRUE;
  if (rows == NULL)
    step_limit (step, step->job->sentence->portion);
  step_tries (step, page->keys->len);
  if (!ask_large (step, page->keys, &at, error))
    return FALSE;
  page->large = at == 1;
  if (at == 0 || rows == NULL)
    return TRUE;
  page_clear (page);
  page_read (step->run, rows, (int)MAX (1, at - 1), page);
  return TRUE;
}

/* The row of a trial of which a portion was to go; none: it stays, or is gone. */
static GPtrArray *
key_of (const Trial *trial)
{
  GPtrArray *keys = g_ptr_array_new ();
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (g_str_equal (trial->what[i], WORD))
      g_ptr_array_add (keys, (gpointer)rows_text (trial->decided, i, "key"));
  return keys;
}

gboolean
portion_moves (Step *step, const Trial *trial, GError **error)
{
  gint64 at = 1;
  if (!trial->stuck && trial->below > 0)
    return TRUE;
  g_autoptr (GPtrArray) keys = key_of (trial);
  if (keys->len == 0)
    return TRUE;
  if (!trial->stuck && !ask_large (step, keys, &at, error))
    return FALSE;
  return at == 0 || step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps rows below it");
}

void
portion_note (Step *step, const PgRows *decided, Page *page)
{
  if (page->keys->len != 1 || (begun (step->run) == NULL && !page->large))
    return;
  const Run *run = step->run;
  const gboolean failed = decided == NULL || rows_count (decided) != 1
                          || g_hash_table_contains (step->refused, page->keys->pdata[0]);
  const char *what = failed ? "failed" : rows_text (decided, 0, "what");
  const gint64 gone = gone_below (run) + (page->large ? step->below : 0);
  if (g_str_equal (what, WORD)) {
    run_progress_set (&page->progress.portion,
                      json_pack ("{s:s, s:I, s:o?}", "key", (char *)page->keys->pdata[0], "gone",
                                 (json_int_t)gone, "behind", g_steal_pointer (&page->cursor)));
    page->more = TRUE;
    return;
  }
  const gboolean stays = g_str_equal (what, "kept") || g_str_equal (what, "failed");
  if (gone == 0 || !stays)
    return;
  step_count (step, "in_part", 1);
  step_log (step, LOG_ERROR, "The row stays, but some of its children are gone",
            json_pack ("{s:s, s:s, s:I}", "table", step->job->table, "key",
                       (char *)page->keys->pdata[0], "rows", (json_int_t)gone));
}
