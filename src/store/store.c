#include "store/store.h"

#include "store/local.h"
#include "store/s3.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define UNSET_RETRY_MS 60000

static struct {
  gpointer store; /* NULL: not configured */
  const StoreKind *kind;
  char *down; /* why the store is not used before UNTIL_US (monotonic); under the lock */
  gint64 until_us;
} stores[STORES];
static pthread_mutex_t down_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic gint64 allowed_until_us = G_MAXINT64;

void
stores_allow_until (gint64 until_us)
{
  atomic_store (&allowed_until_us, until_us);
}

gboolean
stores_start (const Config *config, GError **error)
{
  if (*config_text (config, "store.local", "root") != '\0') {
    stores[1].kind = &local_kind;
    stores[1].store = local_new (config, error);
    if (stores[1].store == NULL)
      return FALSE;
  }
  if (*config_text (config, "store.object", "endpoint") != '\0') {
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
  for (int i = 0; i < STORES; i++) {
    if (stores[i].store != NULL)
      stores[i].kind->free (stores[i].store);
    stores[i].store = NULL;
    g_clear_pointer (&stores[i].down, g_free);
  }
}

gboolean
store_is_set (int file_store)
{
  return stores[file_store].store != NULL;
}

gboolean
store_is_down (int file_store, StoreDown *down)
{
  pthread_mutex_lock (&down_lock);
  gint64 left_us = stores[file_store].until_us - g_get_monotonic_time ();
  gboolean is_down = stores[file_store].down != NULL && left_us > 0;
  if (is_down)
    *down = (StoreDown){ g_strdup (stores[file_store].down), left_us / 1000 + 1 };
  pthread_mutex_unlock (&down_lock);
  return is_down;
}

/* Notes that a store is down, for this batch and for later ones. WORDS NULL: the store is up. */
static void
note_down (StoreBatch *batch, int file_store, const char *words, gint64 retry_ms)
{
  pthread_mutex_lock (&down_lock);
  g_clear_pointer (&stores[file_store].down, g_free);
  if (words != NULL) {
    stores[file_store].down = g_strdup (words);
    stores[file_store].until_us = g_get_monotonic_time () + retry_ms * 1000;
    g_free (batch->down[file_store].words);
    batch->down[file_store] = (StoreDown){ g_strdup (words), retry_ms };
  }
  pthread_mutex_unlock (&down_lock);
}

static gboolean
has_dots (const char *path)
{
  for (const char *at = path; (at = strstr (at, "..")) != NULL; at++)
    if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
      return TRUE;
  return FALSE;
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
  g_string_append (key, object->file); /* unchanged: `x/` and `x` are different objects */
  return g_string_free (key, FALSE);
}

gboolean
store_part_cancelled (const StorePart *part)
{
  return g_atomic_int_get (&part->batch->cancelled);
}

gboolean
store_part_shut (const StorePart *part)
{
  return g_atomic_int_get (&part->batch->shut);
}

gboolean
store_part_goes_on (const StorePart *part)
{
  if (g_get_monotonic_time () >= atomic_load (&allowed_until_us))
    g_atomic_int_set (&part->batch->shut, TRUE);
  return !store_part_shut (part) && !store_part_over (part);
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
  if (down != NULL || (!store_part_over (part) && !store_part_shut (part)))
    note_down (batch, part->file_store, down, retry_ms);
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

static void
note_unset (StoreBatch *batch, int file_store)
{
  g_autofree char *words
      = g_strdup_printf ("blocked: file_store %d is not configured: set %s", file_store,
                         file_store == 1 ? "[store.local] root" : "[store.object] endpoint");
  note_down (batch, file_store, words, UNSET_RETRY_MS);
}

void
store_delete (StoreBatch *batch)
{
  StorePart *parts[STORES] = { NULL };
  gboolean unset[STORES] = { FALSE };
  for (guint i = 0; i < batch->n; i++) {
    StoreObject *object = &batch->objects[i];
    if (store_path_is_unsafe (object->dir, object->file))
      refuse (object, STORE_UNSAFE, g_strdup ("unsafe path"));
    else if (object->file_store < 1 || object->file_store >= STORES)
      refuse (object, STORE_FAILED, g_strdup_printf ("unknown file_store %d", object->file_store));
    else if (!store_is_set (object->file_store))
      unset[object->file_store] = TRUE; /* the object stays open: it is not at fault */
    else {
      StorePart **part = &parts[object->file_store];
      if (*part == NULL) {
        *part = g_new0 (StorePart, 1);
        **part = (StorePart){ batch, g_ptr_array_new (), object->file_store };
      }
      g_ptr_array_add ((*part)->objects, object);
    }
  }
  g_atomic_int_set (&batch->parts,
                    1); /* our own count, so that no part is the last before all have begun */
  for (int i = 0; i < STORES; i++)
    if (unset[i])
      note_unset (batch, i);
    else if (parts[i] != NULL) {
      g_atomic_int_inc (&batch->parts);
      stores[i].kind->delete_part (stores[i].store, parts[i]);
    }
  one_part_less (batch);
}
