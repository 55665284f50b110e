/* The keys of a page: what page.sql is asked for, and what it returned. */
#include "engine/step/page_keys.h"

#include "engine/job/cursor_type.h"
#include "engine/step/ranges.h"
#include "engine/step/spacing.h"

void
page_clear (Page *page)
{
  g_clear_pointer (&page->keys, g_ptr_array_unref);
  g_clear_pointer (&page->cursor, json_decref);
  run_progress_clear (&page->progress);
  g_clear_pointer (&page->next, json_decref);
}

gboolean
page_is_named (const Run *run)
{
  return job_event_of (run->job, run->args) != NULL && !job_is_asked_for_rows (run->job, run->args);
}

void
page_set_key (Page *page, const char *key)
{
  g_ptr_array_set_size (page->keys, 0);
  g_ptr_array_add (page->keys, g_strdup (key));
}

void
page_set_named (const Run *run, Page *page)
{
  const json_t *value = json_object_get (run->args, job_event_of (run->job, run->args)->key);
  g_autofree char *text = json_is_string (value) ? NULL : json_text (value);
  *page = (Page){ .keys = g_ptr_array_new_with_free_func (g_free),
                  .progress = run_progress_behind (run) };
  page_set_key (page, text != NULL ? text : json_string_value (value));
}

static char *
cursor_value (const Run *run, const JobCursor *column)
{
  const json_t *value = json_object_get (run->cursor, column->name);
  if (value == NULL)
    value = json_object_get (json_object_get (run->args, "cursor"), column->name);
  if (value == NULL || json_is_null (value))
    return column->open ? NULL : g_strdup (cursor_type_first (column->type, column->descending));
  return json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
}

PgValues *
page_values (Step *step, int limit)
{
  PgValues *values = pg_values_new ();
  const Job *job = step->job;
  step_bind (step, job->page, values);
  pg_values_int (values, "limit", limit + 1);
  for (guint i = 0; i < job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (job->cursor, JobCursor, i);
    g_autofree char *name = g_strconcat ("cursor.", column->name, NULL),
                    *until = g_strconcat ("until.", column->name, NULL);
    pg_values_take (values, name, cursor_value (step->run, column));
    pg_values_set (values, until, NULL); /* it has no end */
  }
  if (step->run->progress.ranges != NULL)
    ranges_bind (step->run, values);
  return values;
}

PgValues *
page_values_of (const Step *step, Run *run, int limit)
{
  Step of = { .pg = step->pg, .job = step->job, .run = run, .plan = step->plan };
  PgValues *values = page_values (&of, limit);
  pg_values_free (of.common);
  return values;
}

static json_t *
json_of_column (const JobCursor *column, const char *text)
{
  if (text == NULL)
    return json_null ();
  if (g_str_equal (column->type, "bigint") || g_str_equal (column->type, "int")
      || g_str_equal (column->type, "int8") || g_str_equal (column->type, "integer"))
    return json_integer (g_ascii_strtoll (text, NULL, 10));
  return json_string (text);
}

json_t *
page_cursor_at (const Run *run, const PgRows *rows, int row)
{
  json_t *cursor = json_object ();
  for (guint i = 0; i < run->job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (run->job->cursor, JobCursor, i);
    json_object_set_new (cursor, column->name,
                         json_of_column (column, rows_text (rows, row, column->name)));
  }
  return cursor;
}

/* The row AT of ROWS lies before the row before it, in the order of COLUMNS (of JobCursor), whose
 * kinds are KINDS. */
static gboolean
lies_before (const GArray *columns, const CursorKind *kinds, const PgRows *rows, int at)
{
  for (guint i = 0; i < columns->len; i++) {
    const JobCursor *one = &g_array_index (columns, JobCursor, i);
    const int column = rows_column (rows, one->name);
    const char *was = rows_at (rows, at - 1, column), *is = rows_at (rows, at, column);
    int order;
    if (was == NULL || is == NULL || !cursor_type_order (kinds[i], was, is, &order))
      return FALSE;
    if (order != 0)
      return (order > 0) != one->descending;
  }
  return FALSE;
}

static int
find_back (const Job *job, const PgRows *rows)
{
  g_autofree CursorKind *kinds = g_new0 (CursorKind, job->cursor->len + 1);
  for (guint i = 0; i < job->cursor->len; i++)
    kinds[i] = cursor_type_kind (g_array_index (job->cursor, JobCursor, i).type);
  for (int row = 1; row < rows_count (rows); row++)
    if (lies_before (job->cursor, kinds, rows, row))
      return row + 1;
  return 0;
}

void
page_read (const Run *run, const PgRows *rows, int limit, Page *page)
{
  int n = MIN (rows_count (rows), limit);
  page->keys = g_ptr_array_new_with_free_func (g_free);
  page->more = rows_count (rows) > limit;
  page->cursor = page->next = NULL;
  /* At once: the step may get the job's SQL anew before it continues (work/objects.c). */
  page->progress = run_progress_behind (run);
  page->back = job_is_own_folder (run->job) ? find_back (run->job, rows) : 0;
  int key = rows_column (rows, "key");
  for (int i = 0; i < n; i++)
    if (rows_at (rows, i, key) != NULL)
      g_ptr_array_add (page->keys, g_strdup (rows_at (rows, i, key)));
  if (n > 0)
    page->cursor = page_cursor_at (run, rows, n - 1);
  if (n > 0 && page->more)
    page->next = page_cursor_at (run, rows, n);
  if (run->job->spacing)
    spacing_advance (run, (int)page->keys->len, &page->progress);
  if (run->progress.ranges != NULL)
    page->more = page->more || ranges_next (run, &page->cursor, &page->progress);
}

void
page_go_on (Step *step, const Page *page, gint64 delay_ms)
{
  RunProgress next = run_progress_copy (&page->progress);
  step_continue (step, json_incref (page->cursor), delay_ms);
  run_progress_take (&step->next, &next);
}
