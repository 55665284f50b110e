#include "engine/job/sentence/sentence_below_private.h"

/* The rows of TABLE that go, and the same with their owners. */
static void
set_rows (const Below *below, const CatTable *table, const GPtrArray *columns)
{
  Below owned = *below;
  owned.owned = TRUE;
  words_take (below->words, "rows", below_rows_of (below, table, columns));
  words_take (below->words, "rows_owned", below_rows_of (&owned, table, columns));
}

/* KEY: by which its rows are found; NULL: by their own primary key. */
static void
set_child (const Below *below, const CatTable *child, const CatKey *key)
{
  const CatTable *parent = key != NULL ? key->parent : child;
  const GPtrArray *to = key != NULL ? key->to : child->key;
  words_set (below->words, "child", child->name);
  words_set (below->words, "child_own", child->own);
  words_take (below->words, "child_key", list_key (child));
  words_take (below->words, "child_row", list_row (child, below->sentence));
  set_rows (below, parent, to);
  words_take (below->words, "on",
              key != NULL ? list_refers_all (key, child->own, "pruned_p")
                          : list_equal (child->own, child->key, "pruned_p"));
}

static char *
path_of (const Written *written, const char *folder, const CatTable *table, const char *kind)
{
  return g_strdup_printf ("%s/%03u-%s%s", folder, (written->files->len + 1) * 10, table->name,
                          kind);
}

/* Adds what FILE of the templates does to TABLE. */
static void
add_effect (const Below *below, const CatTable *table, const char *kind, const char *file,
            const char *then, Written *written)
{
  Words *words = below->words;
  const char action = *kind == '\0' ? 'd' : 'u';
  words_set (words, "owner_below", "");
  words_set (words, "owner", "");
  g_autofree char *text = words_fill (words, file);
  const char *folder = below->sentence->kind == SENTENCE_SET ? "apply/changed" : "apply/removed";
  written_add (written, path_of (written, folder, table, kind), table, action,
               g_strconcat (text, then, NULL));
  words_set (words, "owner_below", ", pruned_p.pruned_owner");
  words_take (
      words, "owner",
      g_strdup_printf (", %s.pruned_owner AS owner", action == 'd' ? "pruned_p" : "pruned_o"));
  words_take (words, "rows", g_strdup (g_hash_table_lookup (words, "rows_owned")));
  g_autofree char *owned = words_fill (words, file);
  WrittenFile *last = written->files->pdata[written->files->len - 1];
  last->owned = g_strconcat (owned, then, NULL);
}

/* VISIT_WAY for each way in which rows of TABLE are found: one query if they refer to each other,
 * else one a foreign key. The words are set. */
static void
each_way (const Below *below, const CatTable *table, Written *written,
          void (*visit_way) (const Below *, const CatTable *, Written *))
{
  if (below_has_self (below, table)) {
    set_child (below, table, NULL);
    words_set (below->words, "why", "and rows that refer to them");
    visit_way (below, table, written);
    return;
  }
  for (guint i = 0; i < below->edges->len; i++) {
    const CatKey *key = below->edges->pdata[i];
    if (key->child != table)
      continue;
    set_child (below, table, key);
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

static void
write_defer (const Below *below, const CatKey *key, Written *written)
{
  if (key->deltype != 'a' || !key->deferrable)
    return;
  words_set (below->words, "constraint", key->name);
  written_add (written, path_of (written, "lock", key->child, ""), NULL, 0,
               words_fill (below->words, "defer"));
}

/* From the top down. What nothing refers to needs no lock. */
void
below_write_locks (const Below *below, Written *written)
{
  for (guint i = 0; i < below->loose->len; i++)
    write_defer (below, below->loose->pdata[i], written);
  for (guint i = 0; i < below->selves->len; i++)
    if (((CatKey *)below->selves->pdata[i])->loosens->len == 0)
      write_defer (below, below->selves->pdata[i], written);
  for (guint i = below->order->len; i-- > 0;) {
    const CatTable *table = below->order->pdata[i];
    if (table != below->root && is_referred (below, table))
      each_way (below, table, written, write_lock);
  }
}

static void
write_child (const Below *below, const CatTable *table, Written *written)
{
  add_effect (below, table, "", "child", NULL, written);
}

/* Rows that go and refer to KEY's parent rows, as a join; not if the parent goes for itself. */
static char *
going_of (const Below *below, const CatKey *key)
{
  const CatTable *child = key->child;
  g_autofree char *rows = key->parent == child ? below_rows_of_keys (below, child->key)
                                               : below_rows_of (below, child, child->key),
                  *on = list_equal (child->own, child->key, "pruned_q");
  if (key->parent != child || key->to->len != child->key->len)
    return g_strdup_printf (" JOIN (%s) AS pruned_q ON %s", rows, on);
  g_autoptr (GString) same = g_string_new (NULL);
  for (guint i = 0; i < key->to->len; i++) {
    guint at = 0;
    g_ptr_array_find (child->key, key->to->pdata[i], &at);
    list_add (same, " AND ", "pruned_k.pruned_%u %s pruned_p.pruned_%u", at + 1,
              catalogue_sign (key->to->pdata[i], CAT_EQUAL), i + 1);
  }
  return g_strdup_printf (" JOIN (%s) AS pruned_q ON %s AND NOT EXISTS (SELECT FROM %s WHERE %s)",
                          rows, on, (char *)g_hash_table_lookup (below->words, "keys"), same->str);
}

/* What KEY refers to becomes NULL, or its default. GOING: only in rows that go themselves. */
static void
write_empty (const Below *below, const CatKey *key, gboolean going, Written *written)
{
  const CatTable *child = key->child;
  set_child (below, child, key);
  g_autoptr (GString) set = g_string_new (NULL);
  const GPtrArray *columns = going ? key->loosens : key->emptied;
  for (guint i = 0; i < columns->len; i++)
    list_add (set, ", ", "%s = %s", ((CatColumn *)columns->pdata[i])->quoted,
              key->deltype == 'd' ? "DEFAULT" : "NULL");
  words_set (below->words, "set_empty", set->str);
  words_take (below->words, "child_old", list_named (child->own, child->key));
  words_take (below->words, "child_same", list_equal (child->own, child->key, "pruned_o"));
  words_set (below->words, "why", key->name);
  words_set (below->words, "going", "");
  if (going)
    words_take (below->words, "going", going_of (below, key));
  add_effect (below, child, ".update", "empty", NULL, written);
  ((WrittenFile *)written->files->pdata[written->files->len - 1])->of_going = going;
}

/* Rows of the own table that refer to rows that go. A row that goes for itself may refer to one of
 * them: that is emptied first. */
static void
write_own (const Below *below, Written *written)
{
  const CatTable *root = below->root;
  for (guint i = 0; i < below->selves->len; i++) {
    const CatKey *key = below->selves->pdata[i];
    if (key->child == root && key->loosens->len > 0)
      write_empty (below, key, TRUE, written);
  }
  set_rows (below, root, root->key);
  words_take (below->words, "on", list_equal (root->own, root->key, "pruned_p"));
  words_set (below->words, "why", "and rows that refer to them");
  add_effect (below, root, "", "below", g_hash_table_lookup (below->words, "archive_then"),
              written);
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

gboolean
below_changes_own (const Below *below)
{
  for (guint i = 0; i < below->selves->len; i++) {
    const CatKey *key = below->selves->pdata[i];
    if (key->child == below->root && key->loosens->len > 0)
      return TRUE;
  }
  for (guint i = 0; i < below->loose->len; i++) {
    const CatKey *key = below->loose->pdata[i];
    if (key->child == below->root && (key->deltype != 'a' || !key->deferrable))
      return TRUE;
  }
  return FALSE;
}

char *
below_without_rest (const Below *below, const char *due)
{
  GString *out = g_string_new (NULL);
  g_string_printf (out, "(%s)", due);
  for (guint i = 0; i < below->said->len; i++) {
    const CatKey *key = below->said->pdata[i];
    g_autofree char *on = list_equal (key->child->own, key->from, "pruned_k");
    if (key->child != below->root)
      list_add (out, " AND ", "NOT EXISTS (SELECT FROM %s WHERE %s)", key->child->name, on);
  }
  return g_string_free (out, FALSE);
}

static void
write_count (const Below *below, const CatTable *table, Written *written)
{
  g_auto (GStrv) parts = g_strsplit (table->name, "'", -1);
  g_autofree char *name = g_strjoinv ("''", parts);
  words_take (below->words, "child_text", g_strdup_printf ("'%s'", name));
  gboolean own = table == below->root; /* those that go for themselves are counted as such */
  const char *keys = g_hash_table_lookup (below->words, "keys"),
             *match = g_hash_table_lookup (below->words, "match");
  words_set (below->words, "is_own", own ? "true" : "false");
  words_take (below->words, "not_keys",
              own ? g_strdup_printf (" WHERE NOT EXISTS (SELECT FROM %s WHERE %s)", keys, match)
                  : g_strdup (""));
  g_ptr_array_add (written->files, words_fill (below->words, "below_count"));
}

/* Of rows of the own table that are emptied, those that go themselves are counted as such. */
static void
write_count_empty (const Below *below, const CatKey *key, Written *written)
{
  set_child (below, key->child, key);
  words_set (below->words, "emptied", "true");
  write_count (below, key->child, written);
}

static void
write_count_move (const Below *below, const BelowMove *move, Written *written)
{
  const CatTable *child = move->key->child;
  words_set (below->words, "emptied", "true");
  words_set (below->words, "child", child->name);
  words_set (below->words, "child_own", child->own);
  words_set (below->words, "rows", move->rows);
  words_take (below->words, "on", list_refers_all (move->key, child->own, "pruned_p"));
  write_count (below, child, written);
}

char *
below_write_count (const Below *below)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free),
                        moves = below_moves (below);
  Written written = { .files = parts };
  words_set (below->words, "emptied", "false");
  for (guint i = 0; i < below->order->len; i++)
    if (below->order->pdata[i] != below->root || below_has_self (below, below->root))
      each_way (below, below->order->pdata[i], &written, write_count);
  for (guint i = 0; i < below->empties->len; i++)
    write_count_empty (below, below->empties->pdata[i], &written);
  for (guint i = 0; i < moves->len; i++)
    write_count_move (below, moves->pdata[i], &written);
  if (parts->len == 0)
    return NULL;
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (" UNION ALL ", (char **)parts->pdata);
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
    else if (below_has_self (below, table))
      write_own (below, written);
  }
}
