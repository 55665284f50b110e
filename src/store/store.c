#include "store/store.h"

#include "store/local.h"
#include "store/place.h"
#include "store/s3.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define UNSET_RETRY_MS 60000

static struct {
  gpointer store; /* NULL: not configured */
  const StoreKind *kind;
} stores[STORES];

/* Under the lock. */
static GHashTable *buckets; /* name -> store of s3_kind; each is made when it is first used */
static const Config *config_of_buckets;
static pthread_mutex_t buckets_lock = PTHREAD_MUTEX_INITIALIZER;

gboolean
stores_start (const Config *config, gboolean own_bucket, GError **error)
{
  config_of_buckets = config;
  buckets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, s3_kind.free);
  if (*config_text (config, "store.local", "root") != '\0') {
    stores[1].kind = &local_kind;
    stores[1].store = local_new (config, error);
    if (stores[1].store == NULL)
      return FALSE;
  }
  gboolean wanted = own_bucket || *config_text (config, "store.object", "bucket") != '\0';
  if (wanted && *config_text (config, "store.object", "endpoint") != '\0') {
    stores[2].kind = &s3_kind;
    stores[2].store = s3_new (config, NULL, error);
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
  }
  g_clear_pointer (&buckets, g_hash_table_unref);
  places_stop ();
  store_forget_down ();
}

gboolean
store_is_set (int file_store)
{
  return stores[file_store].store != NULL;
}

static void
refuse (StoreObject *object, StoreResult result, char *error)
{
  object->result = result;
  object->error = error;
}

static void
note_unset (StoreList *list, int file_store)
{
  g_autofree char *words
      = g_strdup_printf ("blocked: file_store %d is not configured: set %s", file_store,
                         file_store == 1 ? "[store.local] root" : "[store.object] endpoint");
  store_note_down (list, file_store, words, UNSET_RETRY_MS);
}

/* The store of BUCKET. NULL: *WHY (g_free it) says why there is none. */
static gpointer
store_of_bucket (const char *bucket, char **why)
{
  g_autoptr (GError) error = NULL;
  if (*config_text (config_of_buckets, "store.object", "endpoint") == '\0') {
    *why = g_strdup ("blocked: [store.object] endpoint is not set");
    return NULL;
  }
  pthread_mutex_lock (&buckets_lock);
  gpointer store = g_hash_table_lookup (buckets, bucket);
  if (store == NULL && (store = s3_new (config_of_buckets, bucket, &error)) != NULL)
    g_hash_table_insert (buckets, g_strdup (bucket), store);
  pthread_mutex_unlock (&buckets_lock);
  if (store == NULL)
    *why = g_strdup_printf ("blocked: %s", error->message);
  return store;
}

static void
delete_in_bucket (StoreList *list)
{
  g_autofree char *why = NULL;
  gpointer store = store_of_bucket (list->bucket, &why);
  StorePart *part = g_new0 (StorePart, 1);
  *part = (StorePart){ list, g_ptr_array_new (), 2 };
  for (guint i = 0; i < list->n; i++) {
    if (store_path_is_unsafe ("", list->objects[i].file))
      refuse (&list->objects[i], STORE_UNSAFE, g_strdup ("unsafe path"));
    else if (store != NULL)
      g_ptr_array_add (part->objects, &list->objects[i]);
  }
  atomic_store (&list->parts, 1);
  if (store != NULL && part->objects->len > 0)
    s3_kind.delete_parts (store, &part, 1);
  else
    store_part_done (part, list->n > 0 ? why : NULL, UNSET_RETRY_MS);
}

void
store_list_clear (StoreList *list)
{
  for (guint i = 0; i < list->n; i++)
    g_free (list->objects[i].error);
  g_free (list->objects);
  for (guint i = 0; i < STORES; i++)
    g_free (list->down[i].words);
}

guint
store_list_marked (const StoreList *list)
{
  guint marked = 0;
  for (guint i = 0; i < list->n; i++)
    marked += list->objects[i].result == STORE_DELETED && list->objects[i].marked;
  return marked;
}

/* The part of LIST in each store; NULL: none. What no store is to be asked gets its result. */
static void
divide (StoreList *list, StorePart *parts[STORES])
{
  gboolean unset[STORES] = { FALSE };
  for (guint i = 0; i < list->n; i++) {
    StoreObject *object = &list->objects[i];
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
        **part = (StorePart){ list, g_ptr_array_new (), object->file_store };
      }
      g_ptr_array_add ((*part)->objects, object);
    }
  }
  for (int i = 0; i < STORES; i++)
    if (unset[i])
      note_unset (list, i);
}

/* Those of no bucket. A request can name objects of several lists. */
static void
delete_in_stores (StoreList *const *lists, guint n)
{
  GPtrArray *parts[STORES];
  for (int store = 0; store < STORES; store++)
    parts[store] = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    StorePart *own[STORES] = { NULL };
    divide (lists[i], own);
    gint count = 1; /* our own, so that no part is the last before all have begun */
    for (int store = 0; store < STORES; store++)
      if (own[store] != NULL) {
        g_ptr_array_add (parts[store], own[store]);
        count++;
      }
    atomic_store (&lists[i]->parts, count);
  }
  for (int store = 0; store < STORES; store++)
    if (parts[store]->len > 0)
      stores[store].kind->delete_parts (stores[store].store,
                                        (StorePart *const *)parts[store]->pdata, parts[store]->len);
  for (int store = 0; store < STORES; store++)
    g_ptr_array_unref (parts[store]);
  for (guint i = 0; i < n; i++)
    store_end_part (lists[i]);
}

void
store_delete (StoreList *const *lists, guint n)
{
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    if (lists[i]->bucket != NULL)
      delete_in_bucket (lists[i]);
    else
      g_ptr_array_add (others, lists[i]);
  if (others->len > 0)
    delete_in_stores ((StoreList *const *)others->pdata, others->len);
}
