#include "engine/work/chosen.h"

void
chosen_free (gpointer data)
{
  Chosen *chosen = data;
  store_list_clear (&chosen->list);
  g_free (chosen->bucket);
  page_clear (&chosen->page);
  g_ptr_array_unref (chosen->going);
  g_ptr_array_unref (chosen->failed);
  g_ptr_array_unref (chosen->reasons);
  g_clear_pointer (&chosen->named, rows_free);
  g_free (chosen);
}

Chosen *
chosen_new (void)
{
  Chosen *chosen = g_new0 (Chosen, 1);
  chosen->going = g_ptr_array_new_with_free_func (g_free);
  chosen->failed = g_ptr_array_new_with_free_func (g_free);
  chosen->reasons = g_ptr_array_new_with_free_func (g_free);
  return chosen;
}

GPtrArray *
chosen_copy (const GPtrArray *texts)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < texts->len; i++)
    g_ptr_array_add (copy, g_strdup (texts->pdata[i]));
  return copy;
}

static gboolean
is_shared (const Chosen *chosen, int row)
{
  return rows_bool (chosen->named, row, "shared");
}

static int
named_count (const Chosen *chosen)
{
  return chosen->named != NULL ? rows_count (chosen->named) : 0;
}

void
chosen_list_objects (Chosen *chosen, const char *bucket)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  StoreList *list = &chosen->list;
  list->bucket = chosen->bucket = g_strdup (bucket);
  list->objects = g_new0 (StoreObject, named_count (chosen) + 1);
  for (int i = 0; i < named_count (chosen); i++) {
    const char *object = rows_text (chosen->named, i, "object");
    if (!is_shared (chosen, i) && g_hash_table_add (seen, (gpointer)object))
      list->objects[list->n++] = (StoreObject){ .dir = "", .file = object };
  }
}

void
chosen_results_clear (ChosenResults *results)
{
  g_hash_table_unref (results->objects);
  g_hash_table_unref (results->open);
  g_hash_table_unref (results->without);
  g_ptr_array_unref (results->failed);
  g_ptr_array_unref (results->reasons);
}

static void
note_result (ChosenResults *results, const char *key, const StoreObject *object)
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

ChosenResults
chosen_results (const Chosen *chosen)
{
  ChosenResults results = { .objects = g_hash_table_new (g_str_hash, g_str_equal),
                            .open = g_hash_table_new (g_str_hash, g_str_equal),
                            .without = g_hash_table_new (g_str_hash, g_str_equal),
                            .failed = g_ptr_array_new (),
                            .reasons = g_ptr_array_new () };
  for (guint i = 0; i < chosen->list.n; i++) {
    StoreObject *object = &chosen->list.objects[i];
    g_hash_table_insert (results.objects, (gpointer)object->file, object);
    results.deleted += object->result == STORE_DELETED;
    results.absent += object->result == STORE_ABSENT;
  }
  for (int i = 0; i < named_count (chosen); i++)
    if (!is_shared (chosen, i))
      note_result (&results, rows_text (chosen->named, i, "key"),
                   g_hash_table_lookup (results.objects, rows_text (chosen->named, i, "object")));
  for (guint i = 0; i < chosen->failed->len; i++) {
    g_ptr_array_add (results.failed, chosen->failed->pdata[i]);
    g_ptr_array_add (results.reasons, chosen->reasons->pdata[i]);
  }
  return results;
}

GPtrArray *
chosen_settled (const ChosenResults *results, const Chosen *chosen)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  const GPtrArray *all = g_hash_table_size (results->open) > 0 ? chosen->going : chosen->page.keys;
  g_autoptr (GHashTable) failed = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < results->failed->len; i++)
    g_hash_table_add (failed, results->failed->pdata[i]);
  for (guint i = 0; i < all->len; i++)
    if (!g_hash_table_contains (results->open, all->pdata[i])
        && !g_hash_table_contains (failed, all->pdata[i]))
      g_ptr_array_add (keys, g_strdup (all->pdata[i]));
  return keys;
}

char *
chosen_shared (const Chosen *chosen)
{
  GString *shared = array_new ();
  for (int i = 0; i < named_count (chosen); i++)
    if (is_shared (chosen, i))
      array_add (shared, rows_text (chosen->named, i, "object"));
  return array_take (shared);
}

char *
chosen_gone (const Chosen *chosen)
{
  GString *gone = array_new ();
  for (guint i = 0; i < chosen->list.n; i++)
    if (chosen->list.objects[i].result == STORE_DELETED
        || chosen->list.objects[i].result == STORE_ABSENT)
      array_add (gone, chosen->list.objects[i].file);
  return array_take (gone);
}
