/* Rows that ON UPDATE changes with those of a sentence with `set`. The sentence does not change
 * them itself, so only a plan asks for them; PostgreSQL counts them when they have changed
 * (step/beside.h). */
#include "engine/job/sentence/sentence_below_private.h"

#include "engine/job/sentence/sentence_set.h"

#include <string.h>

#define KEYS_MOST 12 /* from the own table to a row that changes */

/* Columns of the own table that `set` names. */
static GPtrArray *
columns_set (const Below *below)
{
  const GPtrArray *set = below->sentence->set;
  GPtrArray *columns = g_ptr_array_new ();
  for (guint i = 0; i < set->len; i++)
    g_ptr_array_add (
        columns, (gpointer)catalogue_column (below->root, ((SentenceSet *)set->pdata[i])->column));
  return columns;
}

/* One of COLUMNS, of KEY's parent, changes. */
static gboolean
moves (const CatKey *key, const GPtrArray *columns)
{
  gboolean any = FALSE;
  for (guint i = 0; i < key->to->len; i++)
    any |= g_ptr_array_find ((GPtrArray *)columns, key->to->pdata[i], NULL);
  return any && strchr ("cnd", key->updtype) != NULL && key->updtype != '\0';
}

/* The rows of the child of the last key of PATH (empty: of the own table) that change, for
 * COLUMNS of them. FIRST: the key by which rows of the own table are followed. */
static char *
rows_that_move (const Below *below, const GPtrArray *path, guint n, const CatKey *first,
                const GPtrArray *columns)
{
  if (n == 0) {
    g_autofree char *named = list_named (below->root->own, columns),
                    *differs = sentence_set_differs (below->sentence, below->catalogue, first->to);
    return g_strdup_printf ("SELECT %s FROM %s JOIN %s ON %s WHERE %s", named, below->root->name,
                            (char *)g_hash_table_lookup (below->words, "keys"),
                            (char *)g_hash_table_lookup (below->words, "match"), differs);
  }
  const CatKey *key = path->pdata[n - 1];
  g_autofree char *named = list_named (key->child->own, columns),
                  *rows = rows_that_move (below, path, n - 1, first, key->to),
                  *on = list_refers_all (key, key->child->own, "pruned_p");
  return g_strdup_printf ("SELECT %s FROM %s JOIN (%s) AS pruned_p ON %s", named, key->child->name,
                          rows, on);
}

static void
move_free (gpointer data)
{
  BelowMove *move = data;
  g_free (move->rows);
  g_free (move);
}

static void
add_move (const Below *below, const GPtrArray *path, GPtrArray *all)
{
  BelowMove *move = g_new0 (BelowMove, 1);
  move->key = path->pdata[path->len - 1];
  move->rows = rows_that_move (below, path, path->len - 1, path->pdata[0], move->key->to);
  g_ptr_array_add (all, move);
}

/* Along foreign keys to COLUMNS of TABLE. A table that this role may not read ends a way. */
static void
visit (const Below *below, const CatTable *table, const GPtrArray *columns, GPtrArray *path,
       GPtrArray *all)
{
  for (guint i = 0; i < below->catalogue->keys->len && path->len < KEYS_MOST; i++) {
    CatKey *key = below->catalogue->keys->pdata[i];
    if (key->parent != table || !moves (key, columns) || g_ptr_array_find (path, key, NULL)
        || !catalogue_is_seen (key->child) || g_ptr_array_find (below->edges, key, NULL))
      continue;
    g_ptr_array_add (path, key);
    add_move (below, path, all);
    visit (below, key->child, key->from, path, all);
    g_ptr_array_set_size (path, (gint)path->len - 1);
  }
}

GPtrArray *
below_moves (const Below *below)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (move_free);
  if (below->sentence->kind != SENTENCE_SET)
    return all;
  g_autoptr (GPtrArray) columns = columns_set (below), path = g_ptr_array_new ();
  visit (below, below->root, columns, path, all);
  return all;
}
