#include "engine/work/objects.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/step/busy.h"
#include "engine/step/find.h"
#include "engine/step/page.h"
#include "engine/step/record.h"

#include <stdatomic.h>
#include <string.h>

#define LATEST_US                                                                                  \
  (30 * G_USEC_PER_SEC) /* no request begins later than this after the rows were looked at */
#define AGAIN_MS 1000   /* until a row that has changed is looked at again */

/* --- lease --- */

static void
note_tried (Step *step, ObjectRows *rows, const PgRows *decided)
{
  const gsize table = strlen (step->job->table) + 1; /* of items `uploads:1` */
  for (int i = 0; decided != NULL && i < rows_count (decided); i++)
    if (g_str_equal (step_what (step, decided, i), "removed"))
      g_ptr_array_add (rows->going, g_strdup (rows_text (decided, i, "key")));
  for (guint i = 0; i < step->failed_items->len; i++) {
    g_ptr_array_add (rows->failed, g_strdup ((char *)step->failed_items->pdata[i] + table));
    g_ptr_array_add (rows->reasons, g_strdup (step->failed_reasons->pdata[i]));
  }
  for (guint i = 0; i < step->busy_items->len; i++)
    g_ptr_array_add (rows->busy, g_strdup ((char *)step->busy_items->pdata[i] + table));
}

/* What PostgreSQL does not let go keeps its object. Nothing of this try stays. */
static gboolean
try_rows (Step *step, ObjectRows *rows, GError **error)
{
  g_autoptr (GPtrArray) keys = object_rows_copy_texts (rows->page.keys);
  g_autoptr (PgRows) decided = NULL;
  if (keys->len == 0)
    return TRUE;
  if (!pg_exec (step->pg, "SAVEPOINT lease", error)
      || !page_apply_keys (step, keys, NULL, &decided, error)
      || !pg_exec (step->pg, "ROLLBACK TO lease", error)
      || !pg_exec_later (step->pg, "RELEASE lease", error))
    return FALSE;
  note_tried (step, rows, decided);
  return TRUE;
}

static gboolean
name_objects (Step *step, ObjectRows *rows, GError **error)
{
  if (rows->going->len == 0)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "going", array_of_texts (rows->going));
  rows->named = pg_run (step->pg, step->job->objects, values, error);
  return rows->named != NULL;
}

gboolean
objects_choose (Step *step, ObjectRows *rows, GError **error)
{
  if (!find_page (step, &rows->page, error) || !try_rows (step, rows, error)
      || !name_objects (step, rows, error))
    return FALSE;
  step_tries (step, rows->going->len);
  return TRUE;
}

/* Of one step: a page is bisected. */
static gboolean
lease (Step *const *steps, guint n, gpointer *leased, GError **error)
{
  Step *step = steps[n - 1];
  ObjectRows *rows = leased[n - 1] = object_rows_new ();
  if (!objects_choose (step, rows, error))
    return FALSE;
  object_rows_list_objects (rows, step->job->sentence->bucket);
  rows->list.deadline_us = clock_monotonic_us () + LATEST_US;
  return TRUE;
}

/* --- act --- */

static void
act (gpointer *leased, Errand *const *errands, guint n)
{
  StoreList *list = &((ObjectRows *)leased[n - 1])->list;
  errands_delete (errands, &list, n);
}

static void
cancel (gpointer data)
{
  atomic_store (&((ObjectRows *)data)->list.cancelled, TRUE);
}

/* --- settle --- */

/* The store cannot give the object back, so the log says it. */
static void
say_without (Step *step, const char *key, const char *what, const char *object)
{
  step_count (step, "without_object", 1);
  step_log (step, LOG_ERROR, "The object is deleted, but its row stays",
            json_pack ("{s:s, s:s, s:s, s:s, s:s}", "table", step->job->table, "key", key, "object",
                       object, "bucket", step->job->sentence->bucket, "what", what));
}

/* The row goes, as its name in the bucket does; that its bytes stay is said. */
static void
say_marked (Step *step, const ObjectRows *rows)
{
  const guint marked = store_list_marked (&rows->list);
  step_count (step, "only_marked", marked);
  if (marked > 0)
    step_log (step, LOG_WARNING, "Objects are only marked as deleted; their versions stay readable",
              json_pack ("{s:i, s:s}", "objects", (int)marked, "bucket", rows->bucket));
}

/* *AGAIN: a row has changed since it was chosen. */
static void
note_settled (Step *step, const ObjectResults *results, const PgRows *decided, gboolean *again)
{
  for (int i = 0; decided != NULL && i < rows_count (decided); i++) {
    const char *key = rows_text (decided, i, "key"), *what = step_what (step, decided, i),
               *object = g_hash_table_lookup (results->without, key);
    *again = *again || g_str_equal (what, "waits");
    if (object != NULL)
      g_hash_table_remove (results->without, key);
    if (object != NULL && (g_str_equal (what, "kept") || g_str_equal (what, "failed")))
      say_without (step, key, what, object);
  }
}

/* Somebody has held these rows since their objects were chosen. */
static void
say_held (Step *step, const ObjectResults *results, const GPtrArray *passed_over)
{
  for (guint i = 0; i < passed_over->len; i++) {
    const char *key = passed_over->pdata[i], *object = g_hash_table_lookup (results->without, key);
    if (object != NULL)
      say_without (step, key, "held", object);
  }
}

/* The page is done. */
static void
note_busy (Step *step, const ObjectRows *rows)
{
  for (guint i = 0; i < rows->busy->len; i++)
    busy_pass_over (step, rows->busy->pdata[i], "found when its object was to be deleted");
  busy_note_looked (step, &rows->page);
}

void
objects_go_on (Step *step, const ObjectRows *rows)
{
  note_busy (step, rows);
  if (rows->page.more)
    page_go_on (step, &rows->page, in_force_of (step->job)->delay_ms);
  else
    busy_end (step, &rows->page);
}

static void
continue_run (Step *step, const ObjectRows *rows, const ObjectResults *results, gboolean again)
{
  const StoreDown *down = rows->list.down;
  if (g_hash_table_size (results->open) > 0) {
    for (guint i = 0; i < STORES; i++)
      if (down[i].words != NULL) {
        step_log (step, LOG_WARNING, "The store cannot be used; the run waits",
                  json_pack ("{s:s, s:f}", "error", down[i].words, "retry_s",
                             (double)down[i].retry_ms / 1000));
        step_wait (step, down[i].words, NULL, down[i].retry_ms);
        return;
      }
    again = TRUE;
  }
  if (again) {
    step_continue (step, NULL, AGAIN_MS); /* the page comes again */
    return;
  }
  objects_go_on (step, rows);
}

static gboolean
settle_rows (Step *step, const ObjectRows *rows, const ObjectResults *results, gboolean *again,
             GError **error)
{
  static const char *const names[] = { "objects", "going", "shared" };
  g_autoptr (GPtrArray) keys = object_rows_settled (results, rows),
                        asked = object_rows_copy_texts (keys), named = g_ptr_array_new (),
                        texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_ptr_array_add (named, (gpointer)names[i]);
  g_ptr_array_add (texts, object_rows_gone (rows));
  g_ptr_array_add (texts, array_of_texts (rows->going));
  g_ptr_array_add (texts, object_rows_shared (rows));
  const Extra extra = { named, texts };
  g_autoptr (PgRows) decided = NULL;
  if ((keys->len > 0 && !page_apply_keys (step, keys, &extra, &decided, error))
      || !record_failed (step, results->failed, results->reasons, &extra, error))
    return FALSE;
  note_settled (step, results, decided, again);
  say_held (step, results, asked);
  return TRUE;
}

static gboolean
settle (Step *const *steps, gpointer *leased, guint n, GError **error)
{
  Step *step = steps[n - 1];
  const ObjectRows *rows = leased[n - 1];
  g_auto (ObjectResults) results = object_results (rows);
  gboolean again = FALSE;
  if (!step_complete (step, error))
    return FALSE;
  step_limit (step, in_force_of (step->job)->batch);
  if (!settle_rows (step, rows, &results, &again, error))
    return FALSE;
  step_count (step, "deleted", results.deleted);
  step_count (step, "absent", results.absent);
  say_marked (step, rows);
  continue_run (step, rows, &results, again);
  return TRUE;
}

const JobErrand objects_errand = { lease, NULL, act, cancel, NULL, settle, object_rows_free };
