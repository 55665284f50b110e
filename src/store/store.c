#include "store/store.h"

#include "store/local.h"
#include "store/s3.h"

#include <pthread.h>
#include <string.h>

#define STORES 3 /* file_store 1 and 2 */

static struct {
  gpointer store; /* NULL: not configured */
  const StoreKind *kind;
} stores[STORES];
static pthread_mutex_t down_lock = PTHREAD_MUTEX_INITIALIZER;

gboolean
stores_start (const Config *config, GError **error)
{
  if (*config_text (config, "store.local", "root") != '\0')
    {
      stores[1].kind = &local_kind;
      stores[1].store = local_new (config_text (config, "store.local", "root"),
                                   config_bool (config, "store.local", "prune_empty_dirs"));
    }
  if (*config_text (config, "store.object", "endpoint") != '\0')
    {
      stores[2].kind = &s3_kind;
      stores[2].store = s3_new (config, error);
      if (stores[2].store == NULL)
        return FALSE;
    }
  return TRUE;
}

void
stores_stop (void)
{
  for (int i = 0; i < STORES; i++)
    if (stores[i].store != NULL)
      {
        stores[i].kind->free (stores[i].store);
        stores[i].store = NULL;
      }
}

static gboolean
has_dots (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  return g_strv_contains ((const char *const *)parts, "..");
}

gboolean
store_path_is_unsafe (const char *dir, const char *file)
{
  return *file == '\0' || *dir == '/' || *file == '/' || has_dots (dir) || has_dots (file);
}

static void
append_folder (GString *key, const char *text)
{
  while (*text == '/')
    text++;
  if (*text == '\0')
    return;
  g_string_append (key, text);
  while (key->str[key->len - 1] == '/')
    g_string_truncate (key, key->len - 1);
  g_string_append_c (key, '/');
}

char *
store_key (const char *prefix, const StoreObject *object)
{
  GString *key = g_string_new (NULL);
  append_folder (key, prefix);
  append_folder (key, object->dir);
  g_string_append (key, object->file); /* as it is: `x/` is another object than `x` */
  return g_string_free (key, FALSE);
}

gboolean
store_part_cancelled (const StorePart *part)
{
  return g_atomic_int_get (&part->batch->cancelled);
}

gboolean
store_part_over (const StorePart *part)
{
  return store_part_cancelled (part) || g_get_monotonic_time () >= part->batch->deadline_us;
}

static void
one_part_less (StoreBatch *batch)
{
  if (g_atomic_int_dec_and_test (&batch->parts))
    batch->done (batch);
}

void
store_part_done (StorePart *part, const char *down, gint64 retry_ms)
{
  StoreBatch *batch = part->batch;
  if (down != NULL)
    {
      pthread_mutex_lock (&down_lock);
      g_free (batch->down);
      batch->down = g_strdup (down);
      batch->retry_ms = MAX (batch->retry_ms, retry_ms);
      pthread_mutex_unlock (&down_lock);
    }
  g_ptr_array_unref (part->objects);
  g_free (part);
  one_part_less (batch);
}

static void
refuse (StoreObject *object, StoreResult result, char *error)
{
  object->result = result;
  object->error = error;
}

void
store_delete (StoreBatch *batch)
{
  StorePart *parts[STORES] = { NULL };
  for (guint i = 0; i < batch->n; i++)
    {
      StoreObject *object = &batch->objects[i];
      if (store_path_is_unsafe (object->dir, object->file))
        refuse (object, STORE_UNSAFE, g_strdup ("unsafe path"));
      else if (object->file_store < 1 || object->file_store >= STORES)
        refuse (object, STORE_FAILED, g_strdup_printf ("unknown file_store %d", object->file_store));
      else if (stores[object->file_store].store == NULL)
        refuse (object, STORE_FAILED,
                g_strdup_printf ("file_store %d is not configured: set %s", object->file_store,
                                 object->file_store == 1 ? "[store.local] root" : "[store.object] endpoint"));
      else
        {
          StorePart **part = &parts[object->file_store];
          if (*part == NULL)
            {
              *part = g_new0 (StorePart, 1);
              **part = (StorePart){ batch, g_ptr_array_new () };
            }
          g_ptr_array_add ((*part)->objects, object);
        }
    }
  g_atomic_int_set (&batch->parts, 1); /* ours, so that no part can be the last before all have begun */
  for (int i = 0; i < STORES; i++)
    if (parts[i] != NULL)
      {
        g_atomic_int_inc (&batch->parts);
        stores[i].kind->delete_part (stores[i].store, parts[i]);
      }
  one_part_less (batch);
}
