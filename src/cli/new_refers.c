/* Rows that refer to those that go: what a job of `pruned new` proposes about them. */
#include "cli/new.h"

#include <string.h>

#define DEEPEST 3   /* cascades, one below another, that a condition follows */
#define BLOCKS "ar" /* pg_constraint.confdeltype */
#define CASCADES "c"

/* The tables whose rows go: from the own one down the foreign keys KINDS
 * (pg_constraint.confdeltype). */
static GHashTable *
tables_below (const New *new, const char *kinds)
{
  GHashTable *below = g_hash_table_new (NULL, NULL);
  g_hash_table_add (below, new->catalogue->tables->pdata[0]);
  for (gboolean more = TRUE; more;) {
    more = FALSE;
    for (guint i = 0; i < new->catalogue->keys->len; i++) {
      const CatKey *key = new->catalogue->keys->pdata[i];
      if (strchr (kinds, key->deltype) != NULL && g_hash_table_contains (below, key->parent))
        more |= g_hash_table_add (below, (gpointer)key->child);
    }
  }
  return below;
}

GHashTable *
new_tables_that_go (const New *new)
{
  return tables_below (new, CASCADES);
}

gboolean
new_goes_with (const New *new, const CatKey *key)
{
  g_autoptr (GHashTable) go = new_tables_that_go (new);
  return g_hash_table_contains (go, key->parent);
}

/* What would be said to let them go first. A list, so that a table that comes later blocks instead
 * of losing rows. If the own table refers back, only `auto` says it. */
void
new_find_children (New *new)
{
  g_autoptr (GPtrArray) children = g_ptr_array_new ();
  g_autoptr (GHashTable) lose = tables_below (new, BLOCKS CASCADES);
  gboolean back = FALSE;
  for (guint i = 0; i < new->catalogue->keys->len; i++) {
    const CatKey *key = new->catalogue->keys->pdata[i];
    if (strchr (BLOCKS, key->deltype) == NULL || !g_hash_table_contains (lose, key->parent))
      continue;
    back |= key->child == new->catalogue->tables->pdata[0];
    if (!g_ptr_array_find (children, key->child->name, NULL))
      g_ptr_array_add (children, key->child->name);
  }
  g_ptr_array_add (children, NULL);
  if (back)
    new->children = g_strdup ("auto");
  else if (children->len > 1)
    new->children = g_strjoinv (", ", (char **)children->pdata);
}

/* `orders.id = x1.order_id`: the row ABOVE of the parent of KEY is that to which BELOW refers. */
static void
add_comparison (GString *text, const CatKey *key, const char *below, const char *above)
{
  for (guint i = 0; i < key->from->len; i++) {
    const CatColumn *from = key->from->pdata[i], *to = key->to->pdata[i];
    const char *sign = i < key->operators->len ? key->operators->pdata[i] : NULL;
    g_string_append_printf (text, "%s%s.%s %s %s.%s", i > 0 ? " AND " : "", above, to->quoted,
                            sign != NULL ? sign : "=", below, from->quoted);
  }
}

/* Adds to TEXT whether a row blocks, by a foreign key to TABLE or to what cascades from it, that a
 * row ABOVE of TABLE goes. OPEN: the tables on the way there. */
static void
add_blocking (const New *new, const CatTable *table, const char *above, GPtrArray *open,
              const char *before, GString *text)
{
  g_ptr_array_add (open, (gpointer)table);
  for (guint i = 0; i < new->catalogue->keys->len; i++) {
    const CatKey *key = new->catalogue->keys->pdata[i];
    const gboolean blocks = strchr (BLOCKS, key->deltype) != NULL;
    if (key->parent != table || (!blocks && strchr (CASCADES, key->deltype) == NULL)
        || (!blocks && (open->len > DEEPEST || g_ptr_array_find (open, key->child, NULL))))
      continue;
    g_autofree char *below
        = g_strdup_printf ("%s%u", g_str_has_prefix (above, "x") ? "y" : "x", open->len);
    g_autoptr (GString) of_row = g_string_new (NULL);
    add_comparison (of_row, key, below, above);
    g_autofree char *head = g_strdup_printf ("%sEXISTS (SELECT FROM %s %s WHERE %s", before,
                                             key->child->name, below, of_row->str);
    if (blocks) {
      g_string_append_printf (text, "%s)", head);
      continue;
    }
    g_autoptr (GString) further = g_string_new (NULL);
    add_blocking (new, key->child, below, open, " OR ", further);
    if (further->len > 0)
      g_string_append_printf (text, "%s AND (%s))", head, further->str + strlen (" OR "));
  }
  g_ptr_array_remove_index (open, open->len - 1);
}

char *
new_unless_referred (const New *new)
{
  const CatTable *own = new->catalogue->tables->pdata[0];
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  GString *text = g_string_new (NULL);
  add_blocking (new, own, own->own, open, " AND NOT ", text);
  return g_string_free (text, FALSE);
}
