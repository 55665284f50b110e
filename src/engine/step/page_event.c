/* The key of a page that an event names. */
#include "engine/step/page_event.h"

#include "engine/job/job_rows.h"
#include "engine/job/sentence/sentence_key.h"

static void
set_key (Page *page, const char *key)
{
  g_ptr_array_set_size (page->keys, 0);
  g_ptr_array_add (page->keys, g_strdup (key));
}

gboolean
page_of_event (const Run *run, Page *page)
{
  const JobEvent *event = job_event_of (run->job, run->args);
  if (event == NULL || job_is_asked_for_rows (run->job, run->args))
    return FALSE;
  const json_t *value = json_object_get (run->args, event->key);
  page->keys = g_ptr_array_new_with_free_func (g_free);
  page->more = FALSE;
  page->cursor = page->next = NULL;
  page->progress = run_progress_behind (run);
  g_ptr_array_add (page->keys, json_is_string (value) ? g_strdup (json_string_value (value))
                                                      : json_text (value));
  return TRUE;
}

/* The table could not be read when the event came: its key is still as the event has it. */
static gboolean
write_key (Step *step, Page *page, GError **error)
{
  const json_t *parts = json_object_get (step->run->args, "parts"), *part;
  gsize i;
  if (step->job->event_key == NULL || !json_is_array (parts))
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  json_array_foreach ((json_t *)parts, i, part) {
    g_autofree char *parameter = sentence_key_parameter ((guint)i);
    GString *text = array_new ();
    array_add (text, json_string_value (part));
    pg_values_take (values, parameter, array_take (text));
  }
  g_autoptr (PgRows) rows = pg_run (step->pg, step->job->event_key, values, error);
  if (rows == NULL) {
    if (pg_is_no_value (step->pg))
      (*error)->code = PRUNED_REJECT;
    return FALSE;
  }
  if (!job_rows_have (step->job->event_key, rows, "key", error))
    return FALSE;
  if (rows_count (rows) != 1)
    return step_fail (step, error, PRUNED_RETRY, "%s returns %d rows for one event",
                      pg_statement_name (step->job->event_key), rows_count (rows));
  const char *key = rows_text (rows, 0, "key");
  if (key == NULL)
    return step_fail (step, error, PRUNED_REJECT, "args: the key: " KEY_INEXACT);
  set_key (page, key);
  return TRUE;
}

gboolean
page_queue_name (Step *step, const Page *page, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", array_of_texts (page->keys));
  return pg_queue (step->pg, step->job->named, values, error);
}

gboolean
page_take_name (Step *step, Page *page, GError **error)
{
  g_autoptr (PgRows) rows = pg_next (step->pg, error);
  if (rows == NULL || !job_rows_are_whole (step->job->named, rows, "key", error))
    return FALSE;
  if (rows_count (rows) == 1)
    set_key (page, rows_text (rows, 0, "key"));
  return TRUE;
}

static gboolean
use_own_name (Step *step, Page *page, GError **error)
{
  return step->job->named == NULL
         || (page_queue_name (step, page, error) && pg_flush (step->pg, error)
             && page_take_name (step, page, error) && pg_finish (step->pg, error));
}

gboolean
page_find_named (Step *step, Page *page, gboolean *named, GError **error)
{
  *named = page_of_event (step->run, page);
  return !*named || (write_key (step, page, error) && use_own_name (step, page, error));
}
