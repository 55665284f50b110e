#include "engine/step/ranges.h"

static json_t *
part_of (const Run *run, const char *key)
{
  return json_object_get (run->progress.ranges, key);
}

void
ranges_bind (const Run *run, PgValues *values)
{
  const json_t *until = part_of (run, "until");
  for (guint i = 0; i < run->job->cursor->len; i++) {
    const char *column = g_array_index (run->job->cursor, JobCursor, i).name;
    g_autofree char *name = g_strconcat ("until.", column, NULL);
    const json_t *value = json_object_get (until, column);
    pg_values_take (values, name,
                    value == NULL            ? NULL
                    : json_is_string (value) ? g_strdup (json_string_value (value))
                                             : json_text (value));
  }
}

gboolean
ranges_begin (const json_t *ranges, json_t **cursor, RunProgress *progress)
{
  const json_t *first = json_array_get (ranges, 0);
  if (first == NULL)
    return FALSE;
  json_t *until = json_object_get (first, "until");
  json_decref (*cursor);
  *cursor = json_deep_copy (json_object_get (first, "from"));
  run_progress_set (&progress->ranges, NULL);
  g_autoptr (json_t) then = json_deep_copy (ranges);
  json_array_remove (then, 0);
  if (until == NULL && json_array_size (then) == 0)
    return TRUE; /* as if it had never been divided */
  json_t *now = json_object ();
  if (until != NULL)
    json_object_set (now, "until", until);
  if (json_array_size (then) > 0)
    json_object_set (now, "then", then);
  run_progress_set (&progress->ranges, now);
  return TRUE;
}

const json_t *
ranges_then (const Run *run)
{
  return part_of (run, "then");
}

gboolean
ranges_next (const Run *run, json_t **cursor, RunProgress *progress)
{
  return !ranges_beside (run) && ranges_begin (ranges_then (run), cursor, progress);
}

/* KEY has the columns of the cursor of JOB. */
static gboolean
is_key_of (const Job *job, const json_t *key)
{
  for (guint i = 0; i < job->cursor->len; i++)
    if (json_object_get (key, g_array_index (job->cursor, JobCursor, i).name) == NULL)
      return FALSE;
  return json_object_size (key) == job->cursor->len && job->cursor->len > 0;
}

gboolean
ranges_fit (const Job *job, const json_t *ranges)
{
  for (size_t i = 0; i < json_array_size (ranges); i++) {
    const json_t *range = json_array_get (ranges, i), *until = json_object_get (range, "until");
    if (!is_key_of (job, json_object_get (range, "from"))
        || (until != NULL && !is_key_of (job, until)))
      return FALSE;
  }
  return TRUE;
}

gboolean
ranges_fit_run (const Job *job, const Run *run)
{
  if (!run_cursor_fits (job, run))
    return FALSE;
  g_autoptr (json_t) ranges = json_array ();
  json_array_append_new (ranges, ranges_left (job, run));
  json_t *then = (json_t *)ranges_then (run);
  if (then != NULL)
    json_array_extend (ranges, then);
  return ranges_fit (job, ranges);
}

void
ranges_mark (RunProgress *progress, const char *key)
{
  json_t *marked = json_copy (progress->ranges);
  json_object_set_new (marked, key, json_true ());
  run_progress_set (&progress->ranges, marked);
}

json_t *
ranges_left (const Job *job, const Run *run)
{
  json_t *from = json_object (), *until = part_of (run, "until");
  for (guint i = 0; i < job->cursor->len; i++) {
    const char *column = g_array_index (job->cursor, JobCursor, i).name;
    json_object_set (from, column, json_object_get (run->cursor, column));
  }
  json_t *left = json_object ();
  json_object_set_new (left, "from", from);
  if (until != NULL)
    json_object_set (left, "until", until);
  return left;
}

gboolean
ranges_has (const Run *run, const char *key)
{
  return part_of (run, key) != NULL;
}

gboolean
ranges_beside (const Run *run)
{
  return run->range_of != NULL || ranges_has (run, "beside");
}

gint64
ranges_quota (const Run *run)
{
  const json_t *quota = part_of (run, "quota");
  return quota != NULL ? json_integer_value (quota) : -1;
}

gint64
ranges_limit (const Run *run, const char *key)
{
  const json_t *limit = part_of (run, key);
  return limit != NULL ? json_integer_value (limit) : -1;
}

gboolean
ranges_go (const Run *run)
{
  return run->range_of == NULL && ranges_beside (run) && !ranges_has (run, "over")
         && !ranges_has (run, "gather");
}
