/* What a plan has to know of rows that go with rows of earlier pages. A run finds such rows gone;
 * in a plan they are still there. Only foreign keys within the own table lead from one of its rows
 * to another that goes with it. */
#include "engine/job/sentence/sentence_below_private.h"

static GPtrArray *
own_selves (const Below *below)
{
  GPtrArray *keys = g_ptr_array_new ();
  for (guint i = 0; i < below->selves->len; i++)
    if (((CatKey *)below->selves->pdata[i])->child == below->root)
      g_ptr_array_add (keys, below->selves->pdata[i]);
  return keys;
}

/* Some row refers to the row. */
static char *
is_referred (const CatTable *root, const GPtrArray *keys)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < keys->len; i++) {
    const CatKey *key = keys->pdata[i];
    g_autofree char *on = list_refers_to (key, "pruned_c", root->own);
    list_add (out, " OR ", "EXISTS (SELECT FROM %s AS pruned_c WHERE %s)", key->child->name, on);
  }
  return g_string_free (out, FALSE);
}

char *
below_is_referred (const Below *below)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint i = 0; i < below->edges->len; i++)
    if (((CatKey *)below->edges->pdata[i])->parent == below->root)
      g_ptr_array_add (keys, below->edges->pdata[i]);
  return keys->len > 0 ? is_referred (below->root, keys) : g_strdup ("false");
}

/* The row pruned_k, and those that it refers to, up to the top: does one of them go? */
static char *
is_below (const Below *below, const GPtrArray *keys)
{
  const CatTable *root = below->root;
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();
  g_autoptr (GString) up = g_string_new (NULL);
  for (guint i = 0; i < keys->len; i++) {
    const CatKey *key = keys->pdata[i];
    for (guint k = 0; k < key->from->len; k++)
      if (!g_ptr_array_find (columns, key->from->pdata[k], NULL))
        g_ptr_array_add (columns, key->from->pdata[k]);
  }
  g_autofree char *named = list_named (root->own, columns), *key_text = list_key (root);
  const char *match = g_hash_table_lookup (below->words, "match");
  for (guint i = 0; i < keys->len; i++) {
    const CatKey *key = keys->pdata[i];
    g_autoptr (GString) on = g_string_new (NULL);
    for (guint k = 0; k < key->from->len; k++) {
      guint at = 0;
      g_ptr_array_find (columns, key->from->pdata[k], &at);
      g_autofree char *child
          = g_strdup_printf ("pruned_u.pruned_%u", at + 1),
          *parent = g_strdup_printf ("%s.%s", root->own, ((CatColumn *)key->to->pdata[k])->quoted),
          *one = list_refers (key, k, child, parent);
      list_add (on, " AND ", "%s", one);
    }
    list_add (up, " UNION ALL ", "SELECT pg_catalog.format('%%s', %s), %s FROM %s WHERE %s",
              key_text, named, root->name, on->str);
  }
  return g_strdup_printf (
      "EXISTS (WITH RECURSIVE pruned_u AS (SELECT pg_catalog.format('%%s', %s) AS pruned_key, %s FROM %s WHERE %s"
      " UNION SELECT pruned_n.* FROM pruned_u CROSS JOIN LATERAL (%s) AS pruned_n)"
      " SELECT FROM pruned_u WHERE pruned_u.pruned_key IN"
      " (SELECT pg_catalog.unnest(:gone::text[])))",
      key_text, named, root->name, match, up->str);
}

void
below_set_plan (const Below *below)
{
  g_autoptr (GPtrArray) keys = own_selves (below);
  words_set (below->words, "gone_with", "");
  words_set (below->words, "matters", "false");
  if (keys->len == 0)
    return;
  g_autofree char *above = is_below (below, keys);
  words_take (
      below->words, "gone_with",
      g_strdup_printf ("\n            WHEN :gone::text[] <> '{}' AND %s THEN 'gone'", above));
  words_take (below->words, "matters", is_referred (below->root, keys));
}
