#include "store/part.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Under the lock. */
static struct {
  char *words;     /* why the store is not used; NULL: it is used */
  gint64 until_us; /* monotonic */
} downs[STORES];
static pthread_mutex_t down_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic gint64 allowed_until_us = G_MAXINT64;

void
stores_allow_until (gint64 until_us)
{
  atomic_store (&allowed_until_us, until_us);
}

gboolean
store_is_down (int file_store, StoreDown *down)
{
  pthread_mutex_lock (&down_lock);
  gint64 left_us = downs[file_store].until_us - g_get_monotonic_time ();
  gboolean is_down = downs[file_store].words != NULL && left_us > 0;
  if (is_down)
    *down = (StoreDown){ g_strdup (downs[file_store].words), left_us / 1000 + 1 };
  pthread_mutex_unlock (&down_lock);
  return is_down;
}

static void
note_listed (StoreList *list, int file_store, const char *words, gint64 retry_ms)
{
  if (words == NULL)
    return;
  g_free (list->down[file_store].words);
  list->down[file_store] = (StoreDown){ g_strdup (words), retry_ms };
}

void
store_note_down (StoreList *list, int file_store, const char *words, gint64 retry_ms)
{
  if (list->bucket != NULL) {
    note_listed (list, file_store, words, retry_ms);
    return;
  }
  pthread_mutex_lock (&down_lock);
  g_clear_pointer (&downs[file_store].words, g_free);
  if (words != NULL) {
    downs[file_store].words = g_strdup (words);
    downs[file_store].until_us = g_get_monotonic_time () + retry_ms * 1000;
    note_listed (list, file_store, words, retry_ms);
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
  return atomic_load (&part->list->cancelled);
}

gboolean
store_part_shut (const StorePart *part)
{
  return atomic_load (&part->list->shut);
}

gboolean
store_part_goes_on (const StorePart *part)
{
  if (g_get_monotonic_time () >= atomic_load (&allowed_until_us))
    atomic_store (&part->list->shut, TRUE);
  return !store_part_shut (part) && !store_part_over (part);
}

gboolean
store_part_over (const StorePart *part)
{
  return store_part_cancelled (part) || g_get_monotonic_time () >= part->list->deadline_us;
}

void
store_end_part (StoreList *list)
{
  if (atomic_fetch_sub (&list->parts, 1) == 1)
    list->done (list);
}

void
store_part_done (StorePart *part, const char *down, gint64 retry_ms)
{
  StoreList *list = part->list;
  if (down != NULL || (!store_part_over (part) && !store_part_shut (part)))
    store_note_down (list, part->file_store, down, retry_ms);
  g_ptr_array_unref (part->objects);
  g_free (part);
  store_end_part (list);
}

void
store_forget_down (void)
{
  for (int i = 0; i < STORES; i++)
    g_clear_pointer (&downs[i].words, g_free);
}
