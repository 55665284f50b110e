#include "engine/work/archives.h"

#include "base/gzip.h"
#include "base/json.h"
#include "engine/job/in_force.h"
#include "engine/step/busy.h"
#include "engine/step/page.h"
#include "engine/step/record.h"
#include "engine/work/objects.h"
#include "store/place.h"

#include <string.h>

typedef struct {
  ObjectRows *rows;
  PlaceFile file;
  char *path;    /* of the file, for the audit */
  char *digests; /* of its rows, an object of JSON by their keys */
} Archived;

static void
archived_free (gpointer data)
{
  Archived *archived = data;
  object_rows_free (archived->rows);
  place_file_clear (&archived->file);
  g_free (archived->path);
  g_free (archived->digests);
  g_free (archived);
}

/* --- lease --- */

/* The rows that are to go become the file. */
static void
make_file (const Step *step, Archived *archived)
{
  const PgRows *named = archived->rows->named;
  const int n = named != NULL ? rows_count (named) : 0;
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (json_t) digests = json_object ();
  for (int i = 0; i < n; i++) {
    g_string_append (lines, rows_text (named, i, "line"));
    g_string_append_c (lines, '\n');
    json_object_set_new (digests, rows_text (named, i, "key"),
                         json_string (rows_text (named, i, "digest")));
  }
  archived->digests = json_dumps (digests, JSON_COMPACT);
  g_clear_pointer (&archived->rows->named, rows_free);
  if (n == 0)
    return;
  archived->file.place = g_strdup (step->job->sentence->archive_place);
  archived->file.name = place_name (step->job->name, step->run->run_id, step->run->step, lines);
  archived->path = place_path (archived->file.place, archived->file.name);
  archived->file.content = gzip_pack (lines->str, lines->len);
}

/* Of one step: a page is bisected. */
static gboolean
lease (Step *const *steps, guint n, gpointer *leased, GError **error)
{
  Step *step = steps[n - 1];
  Archived *archived = leased[n - 1] = g_new0 (Archived, 1);
  archived->rows = object_rows_new ();
  if (!objects_choose (step, archived->rows, error))
    return FALSE;
  make_file (step, archived);
  return TRUE;
}

/* --- act --- */

static void
on_written (PlaceFile *file)
{
  errand_done (file->data);
}

static void
act (gpointer *leased, Errand *const *errands, guint n)
{
  Archived *archived = leased[n - 1];
  archived->file.done = on_written;
  archived->file.data = errands[n - 1];
  if (archived->file.content != NULL)
    place_write (in_force_config (), &archived->file);
  else
    errand_done (errands[n - 1]);
}

static void
cancel (gpointer data)
{
  atomic_store (&((Archived *)data)->file.cancelled, TRUE);
}

/* --- settle --- */

/* The keys of the page that can be settled: of what PostgreSQL refuses, or others hold, nothing is
 * tried again. */
static GPtrArray *
keys_left (const ObjectRows *rows)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < rows->page.keys->len; i++) {
    const char *key = rows->page.keys->pdata[i];
    if (!g_ptr_array_find_with_equal_func (rows->failed, key, g_str_equal, NULL)
        && !g_ptr_array_find_with_equal_func (rows->busy, key, g_str_equal, NULL))
      g_ptr_array_add (keys, g_strdup (key));
  }
  return keys;
}

/* Rows that are no longer as the file has them. */
static void
note_changed (Step *step, const PgRows *decided)
{
  for (int i = 0; decided != NULL && i < rows_count (decided); i++)
    if (g_str_equal (step_what (step, decided, i), "waits"))
      busy_pass_over (step, rows_text (decided, i, "key"),
                      "changed since it was read for the archive");
}

static gboolean
settle_rows (Step *step, const Archived *archived, GError **error)
{
  const ObjectRows *rows = archived->rows;
  g_autoptr (GPtrArray) keys = keys_left (rows), names = g_ptr_array_new (),
                        texts = g_ptr_array_new ();
  g_ptr_array_add (names, (gpointer) "archived");
  g_ptr_array_add (texts, archived->digests);
  g_ptr_array_add (names, (gpointer) "archived_in");
  g_ptr_array_add (texts, archived->path);
  const Extra extra = { names, texts };
  g_autoptr (PgRows) decided = NULL;
  if ((keys->len > 0 && !page_apply_keys (step, keys, &extra, &decided, error))
      || !record_failed (step, rows->failed, rows->reasons, &extra, error))
    return FALSE;
  note_changed (step, decided);
  return TRUE;
}

static gboolean
settle (Step *const *steps, gpointer *leased, guint n, GError **error)
{
  Step *step = steps[n - 1];
  const Archived *archived = leased[n - 1];
  const PlaceFile *file = &archived->file;
  if (!step_complete (step, error))
    return FALSE;
  if (file->why != NULL) {
    step_log (step, LOG_WARNING, "The archive cannot be written; the run waits",
              json_pack ("{s:s, s:s, s:f}", "error", file->why, "file", file->name, "retry_s",
                         (double)file->retry_ms / 1000));
    step_wait (step, file->why, NULL, file->retry_ms);
    return TRUE;
  }
  step_limit (step, in_force_of (step->job)->batch);
  if (!settle_rows (step, archived, error))
    return FALSE;
  step_count (step, "files", file->content != NULL);
  objects_go_on (step, archived->rows);
  return TRUE;
}

const JobErrand archives_errand = { lease, NULL, act, cancel, NULL, settle, archived_free };
