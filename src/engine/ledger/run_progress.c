#include "engine/ledger/run_progress.h"

typedef struct {
  const char *key;
  gsize at;
  gboolean is_json;
  gboolean of_all; /* also of jobs in C, whose cursors have keys that they choose themselves */
} Part;

#define NUMBER(name, of_all) { #name, G_STRUCT_OFFSET (RunProgress, name), FALSE, of_all }
#define JSON(name) { #name, G_STRUCT_OFFSET (RunProgress, name), TRUE, FALSE }

static const Part PARTS[] = {
  NUMBER (limit, TRUE),  NUMBER (systemic, TRUE), NUMBER (timeouts, TRUE), NUMBER (by_rows, FALSE),
  NUMBER (looks, FALSE), NUMBER (index, FALSE),   JSON (began_at),         JSON (of),
  JSON (portion),        JSON (ranges),           JSON (plan_gone),        JSON (waits),
  NUMBER (again, FALSE)
};

static json_t **
json_of (const RunProgress *progress, const Part *part)
{
  return (json_t **)G_STRUCT_MEMBER_P (progress, part->at);
}

static gint64 *
number_of (const RunProgress *progress, const Part *part)
{
  return (gint64 *)G_STRUCT_MEMBER_P (progress, part->at);
}

RunProgress
run_progress_copy (const RunProgress *progress)
{
  RunProgress copy = *progress;
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++)
    if (PARTS[i].is_json)
      json_incref (*json_of (&copy, &PARTS[i]));
  return copy;
}

void
run_progress_clear (RunProgress *progress)
{
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++)
    if (PARTS[i].is_json)
      json_decref (*json_of (progress, &PARTS[i]));
  *progress = (RunProgress){ 0 };
}

void
run_progress_take (RunProgress *progress, RunProgress *other)
{
  run_progress_clear (progress);
  *progress = *other;
  *other = (RunProgress){ 0 };
}

void
run_progress_set (json_t **part, json_t *value)
{
  json_decref (*part);
  *part = value;
}

/* --- the columns --- */

static gboolean
is_column (const Job *job, const char *key)
{
  for (guint i = 0; i < job->cursor->len; i++)
    if (g_str_equal (g_array_index (job->cursor, JobCursor, i).name, key))
      return TRUE;
  return FALSE;
}

/* In the old form the cursor of JOB has PART. */
static gboolean
is_in_cursor (const Job *job, const Part *part)
{
  return (part->of_all || job->kind->pages) && !is_column (job, part->key);
}

static json_t *
json_from (const RunProgress *progress, const Part *part)
{
  if (part->is_json)
    return json_incref (*json_of (progress, part));
  const gint64 n = *number_of (progress, part);
  return n != 0 ? json_integer (n) : NULL;
}

RunProgress
run_progress_read (const Job *job, json_t **cursor, const json_t *column)
{
  RunProgress progress = { 0 };
  gboolean named = FALSE, moved = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++) {
    const Part *part = &PARTS[i];
    const gboolean in_cursor = is_in_cursor (job, part);
    json_t *value = json_object_get (in_cursor ? *cursor : column, part->key);
    named |= is_column (job, part->key);
    if (part->is_json)
      *json_of (&progress, part) = json_incref (value);
    else
      *number_of (&progress, part) = json_integer_value (value);
    moved |= in_cursor && json_object_del (*cursor, part->key) == 0;
  }
  /* The version before has overwritten such a column: nobody knows where the run was. */
  if (*cursor != NULL && ((moved && json_object_size (*cursor) == 0) || (named && column == NULL)))
    g_clear_pointer (cursor, json_decref);
  return progress;
}

void
run_progress_write (const Job *job, const json_t *cursor, const RunProgress *progress,
                    char **cursor_text, char **text)
{
  g_autoptr (json_t) both = cursor != NULL ? json_copy ((json_t *)cursor) : json_object ();
  g_autoptr (json_t) column = json_object ();
  gboolean known = cursor != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++) {
    json_t *value = json_from (progress, &PARTS[i]);
    if (value != NULL && is_in_cursor (job, &PARTS[i]))
      json_object_set (both, PARTS[i].key, value);
    if (value != NULL)
      json_object_set_new (column, PARTS[i].key, value);
    known |= is_column (job, PARTS[i].key);
  }
  *cursor_text = known || json_object_size (both) > 0 ? json_text (both) : NULL;
  *text = json_text (column);
}
