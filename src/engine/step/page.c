#include "engine/step/page.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/job/job_rows.h"

#include <string.h>

void
page_clear (Page *page)
{
  g_clear_pointer (&page->keys, g_ptr_array_unref);
  g_clear_pointer (&page->cursor, json_decref);
}

/* Before everything, in the direction of the cursor. */
static const char *
first_value (const JobCursor *column)
{
  if (g_str_equal (column->type, "bigint") || g_str_equal (column->type, "int8"))
    return column->descending ? "9223372036854775807" : "-9223372036854775808";
  if (g_str_equal (column->type, "int") || g_str_equal (column->type, "integer"))
    return column->descending ? "2147483647" : "-2147483648";
  if (g_str_equal (column->type, "text"))
    return "";
  return column->descending ? "infinity" : "-infinity";
}

static char *
cursor_value (const Run *run, const JobCursor *column)
{
  const json_t *value = json_object_get (run->cursor, column->name);
  if (value == NULL)
    value = json_object_get (json_object_get (run->args, "cursor"), column->name);
  if (value == NULL || json_is_null (value))
    return g_strdup (first_value (column));
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
    g_autofree char *name = g_strconcat ("cursor.", column->name, NULL);
    pg_values_take (values, name, cursor_value (step->run, column));
  }
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

/* The cursor after row LAST. */
static json_t *
cursor_after (const Run *run, const PgRows *rows, int last, int n_keys)
{
  json_t *cursor = json_object ();
  for (guint i = 0; i < run->job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (run->job->cursor, JobCursor, i);
    json_object_set_new (cursor, column->name,
                         json_of_column (column, rows_text (rows, last, column->name)));
  }
  if (run->job->spacing) {
    const char *began = json_string_value (json_object_get (run->cursor, "began_at"));
    g_autofree char *now = clock_format (run->now_us);
    gint64 index = json_integer_value (json_object_get (run->cursor, "index"));
    json_object_set_new (cursor, "began_at", json_string (began != NULL ? began : now));
    json_object_set_new (cursor, "index", json_integer (index + n_keys));
  }
  return cursor;
}

void
page_read (const Run *run, const PgRows *rows, int limit, Page *page)
{
  int n = MIN (rows_count (rows), limit);
  page->keys = g_ptr_array_new_with_free_func (g_free);
  page->more = rows_count (rows) > limit;
  page->cursor = NULL;
  int key = rows_column (rows, "key");
  for (int i = 0; i < n; i++)
    if (rows_at (rows, i, key) != NULL)
      g_ptr_array_add (page->keys, g_strdup (rows_at (rows, i, key)));
  if (n > 0)
    page->cursor = cursor_after (run, rows, n - 1, (int)page->keys->len);
}

gboolean
page_is_one (const Job *job, const PgRows *rows, GError **error)
{
  g_autoptr (GString) columns = g_string_new ("key");
  for (guint i = 0; i < job->cursor->len; i++)
    g_string_append_printf (columns, " %s", g_array_index (job->cursor, JobCursor, i).name);
  return job_rows_have (job->page, rows, columns->str, error);
}

gboolean
page_of_event (const Run *run, Page *page)
{
  for (guint i = 0; i < run->job->events->len; i++) {
    const JobEvent *event = run->job->events->pdata[i];
    const json_t *value = event->key != NULL ? json_object_get (run->args, event->key) : NULL;
    if (value == NULL || json_is_null (value))
      continue;
    page->keys = g_ptr_array_new_with_free_func (g_free);
    page->more = FALSE;
    page->cursor = NULL;
    g_ptr_array_add (page->keys, json_is_string (value) ? g_strdup (json_string_value (value))
                                                        : json_text (value));
    return TRUE;
  }
  return FALSE;
}

gboolean
page_find (Step *step, Page *page, GError **error)
{
  if (page_of_event (step->run, page))
    return TRUE;
  if (step->job->page == NULL)
    return step_fail (step, error, PRUNED_REJECT,
                      "args: nothing that names a row, and the job has no page.sql");
  int limit = (int)step_limit (step, in_force_of (step->job)->batch);
  g_autoptr (PgValues) values = page_values (step, limit);
  g_autoptr (PgRows) rows = pg_run (step->pg, step->job->page, values, error);
  if (rows == NULL) {
    /* The tick's own cursor is at fault, not a row; so its values may be told. */
    if (step->run->cursor == NULL && g_str_has_prefix (pg_sqlstate (step->pg), "22")
        && json_object_get (step->run->args, "cursor") != NULL && error != NULL && *error != NULL) {
      g_autofree char *cursor = json_text (json_object_get (step->run->args, "cursor"));
      g_prefix_error (error, "args.cursor: %s: ", cursor);
      (*error)->code = PRUNED_REJECT;
    }
    return FALSE;
  }
  if (!page_is_one (step->job, rows, error))
    return FALSE;
  page_read (step->run, rows, limit, page);
  return TRUE;
}
