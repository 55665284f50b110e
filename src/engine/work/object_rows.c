#include "engine/work/object_rows.h"

void
object_rows_free (gpointer data)
{
  ObjectRows *rows = data;
  store_list_clear (&rows->list);
  g_free (rows->bucket);
  page_clear (&rows->page);
  g_ptr_array_unref (rows->going);
  g_ptr_array_unref (rows->failed);
  g_ptr_array_unref (rows->reasons);
  g_ptr_array_unref (rows->busy);
  g_clear_pointer (&rows->named, rows_free);
  g_free (rows);
}

ObjectRows *
object_rows_new (void)
{
  ObjectRows *rows = g_new0 (ObjectRows, 1);
  rows->going = g_ptr_array_new_with_free_func (g_free);
  rows->failed = g_ptr_array_new_with_free_func (g_free);
  rows->reasons = g_ptr_array_new_with_free_func (g_free);
  rows->busy = g_ptr_array_new_with_free_func (g_free);
  return rows;
}

GPtrArray *
object_rows_copy_texts (const GPtrArray *texts)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < texts->len; i++)
    g_ptr_array_add (copy, g_strdup (texts->pdata[i]));
  return copy;
}

static gboolean
is_shared (const ObjectRows *rows, int row)
{
  return rows_bool (rows->named, row, "shared");
}

static int
named_count (const ObjectRows *rows)
{
  return rows->named != NULL ? rows_count (rows->named) : 0;
}

void
object_rows_list_objects (ObjectRows *rows, const char *bucket)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  StoreList *list = &rows->list;
  list->bucket = rows->bucket = g_strdup (bucket);
  list->objects = g_new0 (StoreObject, named_count (rows) + 1);
  for (int i = 0; i < named_count (rows); i++) {
    const char *object = rows_text (rows->named, i, "object");
    if (!is_shared (rows, i) && g_hash_table_add (seen, (gpointer)object))
      list->objects[list->n++] = (StoreObject){ .dir = "", .file = object };
  }
}

void
object_results_clear (ObjectResults *results)
{
  g_hash_table_unref (results->objects);
  g_hash_table_unref (results->open);
  g_hash_table_unref (results->without);
  g_ptr_array_unref (results->failed);
  g_ptr_array_unref (results->reasons);
}

static void
note_result (ObjectResults *results, const char *key, const StoreObject *object)
{
  if (object->result == STORE_OPEN)
    g_hash_table_add (results->open, (gpointer)key);
  else if (object->result == STORE_DELETED || object->result == STORE_ABSENT)
    g_hash_table_insert (results->without, (gpointer)key, (gpointer)object->file);
  else {
    g_ptr_array_add (results->failed, (gpointer)key);
    g_ptr_array_add (results->reasons, object->error);
  }
}

ObjectResults
object_results (const ObjectRows *rows)
{
  ObjectResults results = { .objects = g_hash_table_new (g_str_hash, g_str_equal),
                            .open = g_hash_table_new (g_str_hash, g_str_equal),
                            .without = g_hash_table_new (g_str_hash, g_str_equal),
                            .failed = g_ptr_array_new (),
                            .reasons = g_ptr_array_new () };
  for (guint i = 0; i < rows->list.n; i++) {
    StoreObject *object = &rows->list.objects[i];
    g_hash_table_insert (results.objects, (gpointer)object->file, object);
    results.deleted += object->result == STORE_DELETED && !object->marked;
    results.absent += object->result == STORE_ABSENT;
  }
  for (int i = 0; i < named_count (rows); i++)
    if (!is_shared (rows, i))
      note_result (&results, rows_text (rows->named, i, "key"),
                   g_hash_table_lookup (results.objects, rows_text (rows->named, i, "object")));
  for (guint i = 0; i < rows->failed->len; i++) {
    g_ptr_array_add (results.failed, rows->failed->pdata[i]);
    g_ptr_array_add (results.reasons, rows->reasons->pdata[i]);
  }
  return results;
}

GPtrArray *
object_rows_settled (const ObjectResults *results, const ObjectRows *rows)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  const GPtrArray *all = g_hash_table_size (results->open) > 0 ? rows->going : rows->page.keys;
  g_autoptr (GHashTable) left = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < results->failed->len; i++)
    g_hash_table_add (left, results->failed->pdata[i]);
  for (guint i = 0; i < rows->busy->len; i++)
    g_hash_table_add (left, rows->busy->pdata[i]);
  for (guint i = 0; i < all->len; i++)
    if (!g_hash_table_contains (results->open, all->pdata[i])
        && !g_hash_table_contains (left, all->pdata[i]))
      g_ptr_array_add (keys, g_strdup (all->pdata[i]));
  return keys;
}

char *
object_rows_shared (const ObjectRows *rows)
{
  GString *shared = array_new ();
  for (int i = 0; i < named_count (rows); i++)
    if (is_shared (rows, i))
      array_add (shared, rows_text (rows->named, i, "object"));
  return array_take (shared);
}

char *
object_rows_gone (const ObjectRows *rows)
{
  GString *gone = array_new ();
  for (guint i = 0; i < rows->list.n; i++)
    if (rows->list.objects[i].result == STORE_DELETED
        || rows->list.objects[i].result == STORE_ABSENT)
      array_add (gone, rows->list.objects[i].file);
  return array_take (gone);
}
