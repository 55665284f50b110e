/* Which rows of a table go, as a query: from the keys of the own table down along foreign keys. */
#include "engine/job/sentence/sentence_below_private.h"

gboolean
below_has_self (const Below *below, const CatTable *table)
{
  for (guint i = 0; i < below->selves->len; i++)
    if (((CatKey *)below->selves->pdata[i])->child == table)
      return TRUE;
  return FALSE;
}

gboolean
below_takes_own (const Below *below)
{
  return below_has_self (below, below->root);
}

/* `, pruned_p.pruned_owner`, if the queries have that column. */
static char *
owner_of (const Below *below, const char *rows, const char *column)
{
  return below->owned ? g_strdup_printf (", %s.%s AS pruned_owner", rows, column) : g_strdup ("");
}

char *
below_rows_of_keys (const Below *below, const GPtrArray *columns)
{
  g_autofree char *owner = owner_of (below, "pruned_k", "pruned_key");
  const CatTable *root = below->root;
  const char *keys = g_hash_table_lookup (below->words, "keys"),
             *match = g_hash_table_lookup (below->words, "match");
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++) {
    guint at;
    if (!g_ptr_array_find (root->key, columns->pdata[i], &at)) {
      g_string_free (out, TRUE);
      g_autofree char *named = list_named (root->own, columns);
      return g_strdup_printf ("SELECT %s%s FROM %s JOIN %s ON %s", named, owner, root->name, keys,
                              match);
    }
    list_add (out, ", ", "pruned_k.pruned_%u AS pruned_%u", at + 1, i + 1);
  }
  g_autofree char *named = g_string_free (out, FALSE);
  return g_strdup_printf ("SELECT %s%s FROM %s", named, owner, keys);
}

/* Without the rows that refer to rows of the same table. */
static char *
first_rows_of (const Below *below, const CatTable *table, const GPtrArray *columns)
{
  if (table == below->root)
    return below_rows_of_keys (below, columns);
  GString *out = g_string_new (NULL);
  g_autofree char *named = list_named (table->own, columns),
                  *owner = owner_of (below, "pruned_p", "pruned_owner");
  for (guint i = 0; i < below->edges->len; i++) {
    const CatKey *key = below->edges->pdata[i];
    if (key->child != table)
      continue;
    g_autofree char *rows = below_rows_of (below, key->parent, key->to),
                    *on = list_refers_all (key, table->own, "pruned_p");
    list_add (out, " UNION ALL ", "SELECT %s%s FROM %s JOIN (%s) AS pruned_p ON %s", named, owner,
              table->name, rows, on);
  }
  return g_string_free (out, FALSE);
}

/* COLUMNS and those that foreign keys within TABLE refer to. */
static GPtrArray *
with_referred (const Below *below, const CatTable *table, const GPtrArray *columns)
{
  GPtrArray *all = g_ptr_array_new ();
  for (guint i = 0; i < columns->len; i++)
    g_ptr_array_add (all, columns->pdata[i]);
  for (guint i = 0; i < below->selves->len; i++) {
    const CatKey *key = below->selves->pdata[i];
    for (guint k = 0; key->child == table && k < key->to->len; k++)
      if (!g_ptr_array_find (all, key->to->pdata[k], NULL))
        g_ptr_array_add (all, key->to->pdata[k]);
  }
  return all;
}

/* The step from rows to those that refer to them. */
static char *
next_rows_of (const Below *below, const CatTable *table, GPtrArray *all)
{
  GString *out = g_string_new (NULL);
  g_autofree char *named = list_named (table->own, all),
                  *owner = owner_of (below, "pruned_t", "pruned_owner");
  for (guint i = 0; i < below->selves->len; i++) {
    const CatKey *key = below->selves->pdata[i];
    if (key->child != table)
      continue;
    g_autoptr (GString) on = g_string_new (NULL);
    for (guint k = 0; k < key->from->len; k++) {
      guint at = 0;
      g_ptr_array_find (all, key->to->pdata[k], &at);
      g_autofree char *child
          = g_strdup_printf ("%s.%s", table->own, ((CatColumn *)key->from->pdata[k])->quoted),
          *parent = g_strdup_printf ("pruned_t.pruned_%u", at + 1),
          *one = list_refers (key, k, child, parent);
      list_add (on, " AND ", "%s", one);
    }
    list_add (out, " UNION ALL ", "SELECT %s%s FROM %s WHERE %s", named, owner, table->name,
              on->str);
  }
  return g_string_free (out, FALSE);
}

/* Both parts of a recursion must have the collations of the columns. */
static char *
with_collations (const GPtrArray *columns)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++) {
    const char *collation = ((const CatColumn *)columns->pdata[i])->collation;
    const gboolean own = collation != NULL && !g_str_equal (collation, "\"default\"");
    list_add (out, ", ", "pruned_f.pruned_%u%s%s", i + 1, own ? " COLLATE " : "",
              own ? collation : "");
    if (own)
      g_string_append_printf (out, " AS pruned_%u", i + 1);
  }
  return g_string_free (out, FALSE);
}

char *
below_rows_of (const Below *below, const CatTable *table, const GPtrArray *columns)
{
  if (!below_has_self (below, table))
    return first_rows_of (below, table, columns);
  g_autoptr (GPtrArray) all = with_referred (below, table, columns);
  g_autofree char *first = first_rows_of (below, table, all),
                  *next = next_rows_of (below, table, all), *begin = with_collations (all),
                  *begin_owner = owner_of (below, "pruned_f", "pruned_owner"),
                  *owner = owner_of (below, "pruned_t", "pruned_owner");
  GString *outer = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++)
    list_add (outer, ", ", "pruned_t.pruned_%u", i + 1);
  g_autofree char *named = g_string_free (outer, FALSE);
  return g_strdup_printf (
      "WITH RECURSIVE pruned_t AS (SELECT %s%s FROM (%s) AS pruned_f UNION SELECT pruned_n.* FROM pruned_t"
      " CROSS JOIN LATERAL (%s) AS pruned_n) SELECT %s%s FROM pruned_t",
      begin, begin_owner, first, next, named, owner);
}
