#include "engine/job/sentence_below.h"

#include <string.h>

struct _Below {
  const Sentence *sentence;
  const Catalogue *catalogue;
  const CatTable *root;
  Words *words;
  GPtrArray *said;    /* of CatKey: children without a foreign key; owned */
  GPtrArray *edges;   /* of CatKey: followed from table to table, without a circle */
  GPtrArray *selves;  /* of CatKey: followed within a table */
  GPtrArray *loose;   /* of CatKey: close a circle */
  GPtrArray *empties; /* of CatKey: only emptied */
  GPtrArray *order;   /* of CatTable: children first, the own table last */
};

void
below_free (Below *below)
{
  if (below == NULL)
    return;
  GPtrArray *arrays[]
      = { below->edges, below->selves, below->loose, below->empties, below->order, below->said };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_ptr_array_unref (arrays[i]);
  g_free (below);
}

/* --- which foreign keys are followed --- */

static gboolean
has_columns (const CatKey *key, char **columns)
{
  if (g_strv_length (columns) != key->from->len)
    return FALSE;
  for (guint i = 0; i < key->from->len; i++)
    if (cat_column (key->child, columns[i]) != key->from->pdata[i])
      return FALSE;
  return TRUE;
}

/* Whether the sentence names the child of KEY, and its columns if it names some. */
static gboolean
is_listed (const Below *below, const CatKey *key)
{
  const GPtrArray *children = below->sentence->children;
  for (guint i = 0; children != NULL && i < children->len; i++) {
    const SentenceChild *child = children->pdata[i];
    if (catalogue_asked (below->catalogue, child->table) == key->child
        && (child->columns == NULL || has_columns (key, child->columns)))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_followed (const Below *below, const CatKey *key)
{
  if (key->deltype == 'c' || key->deltype == '\0' || is_listed (below, key))
    return TRUE;
  return below->sentence->children_auto && (key->deltype == 'a' || key->deltype == 'r');
}

/* A child whose columns the sentence names, and that no foreign key names. */
static char *
add_said (Below *below, const SentenceChild *child)
{
  const CatTable *table = catalogue_asked (below->catalogue, child->table);
  for (guint i = 0; i < below->catalogue->keys->len; i++) {
    const CatKey *key = below->catalogue->keys->pdata[i];
    if (key->child == table && (child->columns == NULL || has_columns (key, child->columns)))
      return NULL;
  }
  if (child->columns == NULL)
    return g_strdup_printf (
        "%s has no foreign key to %s: write %s(column), with the column that holds its key",
        child->table, below->root->name, child->table);
  CatKey *key = g_new0 (CatKey, 1);
  g_ptr_array_add (below->said, key);
  *key = (CatKey){ .child = table,
                   .parent = below->root,
                   .from = g_ptr_array_new (),
                   .to = g_ptr_array_ref (below->root->key) };
  for (char **name = child->columns; *name != NULL; name++) {
    const CatColumn *column = cat_column (table, *name);
    if (column == NULL)
      return g_strdup_printf ("%s has no column %s", child->table, *name);
    g_ptr_array_add (key->from, (gpointer)column);
  }
  if (key->from->len != key->to->len)
    return g_strdup_printf ("%s: the key of %s has %u columns", child->table, below->root->name,
                            key->to->len);
  return NULL;
}

/* --- the order --- */

static const CatKey *
key_at (const Below *below, guint i)
{
  const GPtrArray *keys = below->catalogue->keys;
  return i < keys->len ? keys->pdata[i] : below->said->pdata[i - keys->len];
}

/* Children first. OPEN: the tables on the way to TABLE. */
static void
visit (Below *below, const CatTable *table, GPtrArray *open)
{
  g_ptr_array_add (open, (gpointer)table);
  for (guint i = 0; i < below->catalogue->keys->len + below->said->len; i++) {
    const CatKey *key = key_at (below, i);
    if (key->parent != table)
      continue;
    if (!is_followed (below, key)) {
      if (key->deltype == 'n' || key->deltype == 'd')
        g_ptr_array_add (below->empties, (gpointer)key);
      continue;
    }
    if (key->child == table)
      g_ptr_array_add (below->selves, (gpointer)key);
    else if (g_ptr_array_find (open, key->child, NULL))
      g_ptr_array_add (below->loose, (gpointer)key);
    else {
      g_ptr_array_add (below->edges, (gpointer)key);
      if (!g_ptr_array_find (below->order, key->child, NULL))
        visit (below, key->child, open);
    }
  }
  g_ptr_array_remove_index (open, open->len - 1);
  g_ptr_array_add (below->order, (gpointer)table);
}

static char *
check_loose (const Below *below)
{
  for (guint i = 0; i < below->loose->len; i++) {
    const CatKey *key = below->loose->pdata[i];
    gboolean defers = key->deltype == 'a' && key->deferrable;
    if (!defers && (!key->nullable || key->deltype == 'c' || key->child->key->len == 0))
      return g_strdup_printf ("%s and %s refer to each other in a circle, which %s closes: it can "
                              "neither be deferred nor emptied",
                              key->child->name, key->parent->name, key->name);
  }
  return NULL;
}

static char *
check_tables (const Below *below)
{
  for (guint i = 0; below->sentence->children != NULL && i < below->sentence->children->len; i++) {
    const SentenceChild *child = below->sentence->children->pdata[i];
    const CatTable *table = catalogue_asked (below->catalogue, child->table);
    if (table == NULL || table->kind == '\0')
      return g_strdup_printf ("there is no table %s", child->table);
    char *refusal = table != below->root ? add_said ((Below *)below, child) : NULL;
    if (refusal != NULL)
      return refusal;
  }
  return NULL;
}

static char *
check_order (const Below *below)
{
  for (guint i = 0; below->sentence->children != NULL && i < below->sentence->children->len; i++) {
    const SentenceChild *child = below->sentence->children->pdata[i];
    if (!g_ptr_array_find (below->order, catalogue_asked (below->catalogue, child->table), NULL))
      return g_strdup_printf ("%s has no foreign key to %s, nor to another child", child->table,
                              below->root->name);
  }
  for (guint i = 0; i < below->order->len; i++) {
    const CatTable *table = below->order->pdata[i];
    if (table->kind != 'r' && table->kind != 'p')
      return g_strdup_printf ("%s is no table", table->name);
  }
  for (guint i = 0; i < below->selves->len; i++)
    if (((CatKey *)below->selves->pdata[i])->child->key->len == 0)
      return g_strdup_printf ("%s has no primary key",
                              ((CatKey *)below->selves->pdata[i])->child->name);
  for (guint i = 0; i < below->empties->len; i++)
    if (((CatKey *)below->empties->pdata[i])->child->key->len == 0)
      return g_strdup_printf ("%s has no primary key",
                              ((CatKey *)below->empties->pdata[i])->child->name);
  return check_loose (below);
}

Below *
below_new (const Sentence *sentence, const Catalogue *catalogue, Words *words, char **refusal)
{
  g_autoptr (Below) below = g_new0 (Below, 1);
  *below = (Below){ .sentence = sentence,
                    .catalogue = catalogue,
                    .root = catalogue->tables->pdata[0],
                    .words = words,
                    .said = g_ptr_array_new_with_free_func (cat_key_free),
                    .edges = g_ptr_array_new (),
                    .selves = g_ptr_array_new (),
                    .loose = g_ptr_array_new (),
                    .empties = g_ptr_array_new (),
                    .order = g_ptr_array_new () };
  if (sentence->kind != SENTENCE_SET) {
    g_autoptr (GPtrArray) open = g_ptr_array_new ();
    if ((*refusal = check_tables (below)) != NULL)
      return NULL;
    visit (below, below->root, open);
    if ((*refusal = check_order (below)) != NULL)
      return NULL;
  }
  return g_steal_pointer (&below);
}

gboolean
below_is_empty (const Below *below)
{
  return below->edges->len + below->selves->len + below->empties->len == 0;
}

/* --- the rows of a table that go --- */

static gboolean
has_self (const Below *below, const CatTable *table)
{
  for (guint i = 0; i < below->selves->len; i++)
    if (((CatKey *)below->selves->pdata[i])->child == table)
      return TRUE;
  return FALSE;
}

static char *rows_of (const Below *below, const CatTable *table, const GPtrArray *columns);

/* The columns of the keys themselves need not be read from the table. */
static char *
rows_of_keys (const Below *below, const GPtrArray *columns)
{
  const CatTable *root = below->root;
  const char *keys = g_hash_table_lookup (below->words, "keys"),
             *match = g_hash_table_lookup (below->words, "match");
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++) {
    guint at;
    if (!g_ptr_array_find (root->key, columns->pdata[i], &at)) {
      g_string_free (out, TRUE);
      g_autofree char *named = list_named (root->own, columns);
      return g_strdup_printf ("SELECT %s FROM %s JOIN %s ON %s", named, root->name, keys, match);
    }
    list_add (out, ", ", "pruned_k.pruned_%u AS pruned_%u", at + 1, i + 1);
  }
  g_autofree char *named = g_string_free (out, FALSE);
  return g_strdup_printf ("SELECT %s FROM %s", named, keys);
}

/* Without the rows that refer to rows of the same table. */
static char *
first_rows_of (const Below *below, const CatTable *table, const GPtrArray *columns)
{
  if (table == below->root)
    return rows_of_keys (below, columns);
  GString *out = g_string_new (NULL);
  g_autofree char *named = list_named (table->own, columns);
  for (guint i = 0; i < below->edges->len; i++) {
    const CatKey *key = below->edges->pdata[i];
    if (key->child != table)
      continue;
    g_autofree char *rows = rows_of (below, key->parent, key->to),
                    *on = list_equal (table->own, key->from, "pruned_p");
    list_add (out, " UNION ALL ", "SELECT %s FROM %s JOIN (%s) AS pruned_p ON %s", named,
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
  g_autofree char *named = list_named (table->own, all);
  for (guint i = 0; i < below->selves->len; i++) {
    const CatKey *key = below->selves->pdata[i];
    if (key->child != table)
      continue;
    g_autoptr (GString) on = g_string_new (NULL);
    for (guint k = 0; k < key->from->len; k++) {
      guint at = 0;
      g_ptr_array_find (all, key->to->pdata[k], &at);
      list_add (on, " AND ", "%s.%s = pruned_t.pruned_%u", table->own,
                ((CatColumn *)key->from->pdata[k])->quoted, at + 1);
    }
    list_add (out, " UNION ALL ", "SELECT %s FROM %s WHERE %s", named, table->name, on->str);
  }
  return g_string_free (out, FALSE);
}

/* A query for COLUMNS (`pruned_1`, ...) of the rows of TABLE that go. */
static char *
rows_of (const Below *below, const CatTable *table, const GPtrArray *columns)
{
  if (!has_self (below, table))
    return first_rows_of (below, table, columns);
  g_autoptr (GPtrArray) all = with_referred (below, table, columns);
  g_autofree char *first = first_rows_of (below, table, all),
                  *next = next_rows_of (below, table, all);
  GString *outer = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++)
    list_add (outer, ", ", "pruned_t.pruned_%u", i + 1);
  g_autofree char *named = g_string_free (outer, FALSE);
  return g_strdup_printf (
      "WITH RECURSIVE pruned_t AS (SELECT * FROM (%s) AS pruned_f UNION SELECT pruned_n.* FROM pruned_t"
      " CROSS JOIN LATERAL (%s) AS pruned_n) SELECT %s FROM pruned_t",
      first, next, named);
}

/* --- files --- */

static void
set_child (const Below *below, const CatTable *child, const CatTable *parent,
           const GPtrArray *columns, const GPtrArray *to)
{
  words_set (below->words, "child", child->name);
  words_set (below->words, "child_own", child->own);
  words_take (below->words, "child_key", list_key (child));
  words_take (below->words, "rows", rows_of (below, parent, to));
  words_take (below->words, "on", list_equal (child->own, columns, "pruned_p"));
}

static char *
path_of (const Written *written, const char *folder, const CatTable *table, const char *kind)
{
  return g_strdup_printf ("%s/%03u-%s%s", folder, (written->files->len + 1) * 10, table->name,
                          kind);
}

/* VISIT for each way in which rows of TABLE are found: one query if they refer to each other, else
 * one a foreign key. The words are set. */
static void
each_way (const Below *below, const CatTable *table, Written *written,
          void (*visit_way) (const Below *, const CatTable *, Written *))
{
  if (has_self (below, table)) {
    set_child (below, table, table, table->key, table->key);
    words_set (below->words, "why", "and rows that refer to them");
    visit_way (below, table, written);
    return;
  }
  for (guint i = 0; i < below->edges->len; i++) {
    const CatKey *key = below->edges->pdata[i];
    if (key->child != table)
      continue;
    set_child (below, table, key->parent, key->from, key->to);
    words_set (below->words, "why", key->name != NULL ? key->name : "as the sentence says");
    visit_way (below, table, written);
  }
}

static void
write_lock (const Below *below, const CatTable *table, Written *written)
{
  written_add (written, path_of (written, "lock", table, ""), NULL, 0,
               words_fill (below->words, "lock_below"));
}

static gboolean
is_referred (const Below *below, const CatTable *table)
{
  const GPtrArray *all[] = { below->edges, below->selves, below->empties };
  for (guint a = 0; a < G_N_ELEMENTS (all); a++)
    for (guint i = 0; i < all[a]->len; i++)
      if (((CatKey *)all[a]->pdata[i])->parent == table)
        return TRUE;
  return FALSE;
}

/* From the top down. What nothing refers to needs no lock. */
void
below_write_locks (const Below *below, Written *written)
{
  for (guint i = 0; i < below->loose->len; i++) {
    const CatKey *key = below->loose->pdata[i];
    if (key->deltype != 'a' || !key->deferrable)
      continue;
    words_set (below->words, "constraint", key->name);
    written_add (written, path_of (written, "lock", key->child, ""), NULL, 0,
                 words_fill (below->words, "defer"));
  }
  for (guint i = below->order->len; i-- > 0;) {
    const CatTable *table = below->order->pdata[i];
    if (table != below->root && is_referred (below, table))
      each_way (below, table, written, write_lock);
  }
}

static void
write_child (const Below *below, const CatTable *table, Written *written)
{
  written_add (written, path_of (written, "apply/removed", table, ""), table, 'd',
               words_fill (below->words, "child"));
}

/* Rows that go and refer to KEY's parent rows, as a join; not if the parent goes for itself. */
static char *
going_of (const Below *below, const CatKey *key)
{
  const CatTable *child = key->child;
  g_autofree char *rows = key->parent == child ? rows_of_keys (below, child->key)
                                               : rows_of (below, child, child->key),
                  *on = list_equal (child->own, child->key, "pruned_q");
  if (key->parent != child || key->to->len != child->key->len)
    return g_strdup_printf (" JOIN (%s) AS pruned_q ON %s", rows, on);
  g_autoptr (GString) same = g_string_new (NULL);
  for (guint i = 0; i < key->to->len; i++) {
    guint at = 0;
    g_ptr_array_find (child->key, key->to->pdata[i], &at);
    list_add (same, " AND ", "pruned_k.pruned_%u = pruned_p.pruned_%u", at + 1, i + 1);
  }
  return g_strdup_printf (" JOIN (%s) AS pruned_q ON %s AND NOT EXISTS (SELECT FROM %s WHERE %s)",
                          rows, on, (char *)g_hash_table_lookup (below->words, "keys"), same->str);
}

/* What KEY refers to becomes NULL, or its default. GOING: only in rows that go themselves. */
static void
write_empty (const Below *below, const CatKey *key, gboolean going, Written *written)
{
  const CatTable *child = key->child;
  set_child (below, child, key->parent, key->from, key->to);
  g_autoptr (GString) set = g_string_new (NULL);
  for (guint i = 0; i < key->from->len; i++)
    list_add (set, ", ", "%s = %s", ((CatColumn *)key->from->pdata[i])->quoted,
              key->deltype == 'd' ? "DEFAULT" : "NULL");
  words_set (below->words, "set_empty", set->str);
  words_take (below->words, "child_old", list_named (child->own, child->key));
  words_take (below->words, "child_same", list_equal (child->own, child->key, "pruned_o"));
  words_set (below->words, "why", key->name);
  words_set (below->words, "going", "");
  if (going)
    words_take (below->words, "going", going_of (below, key));
  written_add (written, path_of (written, "apply/removed", child, ".update"), child, 'u',
               words_fill (below->words, "empty"));
}

/* Rows of the own table that refer to rows that go. A row that goes for itself may refer to one of
 * them: that is emptied first. */
static void
write_own (const Below *below, Written *written)
{
  const CatTable *root = below->root;
  for (guint i = 0; i < below->selves->len; i++) {
    const CatKey *key = below->selves->pdata[i];
    if (key->child == root && key->nullable)
      write_empty (below, key, TRUE, written);
  }
  words_take (below->words, "rows", rows_of (below, root, root->key));
  words_take (below->words, "on", list_equal (root->own, root->key, "pruned_p"));
  words_set (below->words, "why", "and rows that refer to them");
  g_autofree char *first = words_fill (below->words, "below");
  const char *archive = g_hash_table_lookup (below->words, "archive_then");
  written_add (written, path_of (written, "apply/removed", root, ""), root, 'd',
               g_strconcat (first, archive, NULL));
}

gboolean
below_empties_own (const Below *below)
{
  const GPtrArray *all[] = { below->selves, below->loose };
  for (guint a = 0; a < G_N_ELEMENTS (all); a++)
    for (guint i = 0; i < all[a]->len; i++)
      if (((CatKey *)all[a]->pdata[i])->child == below->root)
        return TRUE;
  return FALSE;
}

void
below_write_effects (const Below *below, Written *written)
{
  for (guint i = 0; i < below->loose->len; i++) {
    const CatKey *key = below->loose->pdata[i];
    if (key->deltype != 'a' || !key->deferrable)
      write_empty (below, key, TRUE, written);
  }
  for (guint i = 0; i < below->order->len; i++) {
    const CatTable *table = below->order->pdata[i];
    for (guint k = 0; k < below->empties->len; k++)
      if (((CatKey *)below->empties->pdata[k])->parent == table)
        write_empty (below, below->empties->pdata[k], FALSE, written);
    if (table != below->root)
      each_way (below, table, written, write_child);
    else if (has_self (below, table))
      write_own (below, written);
  }
}
