#include "engine/job/sentence/sentence_portion.h"

#include "engine/job/sentence/sentence_below_private.h"

/* Rows of a table that are chosen together. */
typedef struct {
  const CatTable *table;
  const CatKey *emptied; /* what it refers to is emptied; NULL: they go */
} Unit;

char *
sentence_portion_refusal (const Below *below)
{
  static const char rest[] = "so the rows below a row go at once: leave children_portion out";
  if (below->selves->len > 0) {
    const CatKey *key = below->selves->pdata[0];
    return g_strdup_printf ("children_portion: %s refers to itself (%s), %s", key->child->name,
                            key->name, rest);
  }
  const CatKey *circle = below->loose->len > 0 ? below->loose->pdata[0] : NULL;
  for (guint i = 0; circle == NULL && i < below->empties->len; i++) {
    const CatKey *key = below->empties->pdata[i];
    circle = key->child == below->root || key->child == key->parent ? key : NULL;
  }
  return circle == NULL ? NULL
                        : g_strdup_printf (
                              "children_portion: %s and %s refer to each other in a circle, which "
                              "%s closes, %s",
                              circle->child->name, circle->parent->name, circle->name, rest);
}

gboolean
sentence_portion_can_be (const Below *below)
{
  g_autofree char *refusal = sentence_portion_refusal (below);
  const SentenceKind kind = below->sentence->kind;
  return (kind == SENTENCE_DELETE || kind == SENTENCE_ARCHIVE) && refusal == NULL
         && !below_is_empty (below);
}

static gboolean
is_said (const Below *below)
{
  return below->sentence->portion > 0 && sentence_portion_can_be (below);
}

void
sentence_portion_set_reason (const Below *below)
{
  words_set (below->words, "gone_below",
             is_said (below) ? " || CASE WHEN :gone_below::bigint > 0 THEN"
                               " pg_catalog.format(CASE :gone_below::bigint WHEN 1"
                               " THEN '; %s row below it is gone'"
                               " ELSE '; %s rows below it are gone' END,"
                               " :gone_below::bigint) ELSE '' END"
                             : "");
}

/* In the order in which they go. */
static GArray *
units_of (const Below *below)
{
  GArray *units = g_array_new (FALSE, FALSE, sizeof (Unit));
  for (guint i = 0; i < below->order->len; i++) {
    const CatTable *table = below->order->pdata[i];
    for (guint k = 0; k < below->empties->len; k++) {
      const CatKey *key = below->empties->pdata[k];
      const Unit unit = { key->child, key };
      if (key->parent == table)
        g_array_append_val (units, unit);
    }
    const Unit unit = { table, NULL };
    if (table != below->root)
      g_array_append_val (units, unit);
  }
  return units;
}

/* --- what is chosen --- */

/* Tables (1) or places (2) of the rows that unit I has chosen. */
static char *
part_of_setting (guint i, int part)
{
  return g_strdup_printf ("pg_catalog.split_part(pg_catalog.current_setting('pruned.portion_%u',"
                          " true), ';', %d)::%s[]",
                          i + 1, part, part == 1 ? "oid" : "tid");
}

/* As an item of FROM: pruned_s. */
static char *
chosen_of (guint i)
{
  g_autofree char *parts = part_of_setting (i, 1), *places = part_of_setting (i, 2);
  return g_strdup_printf ("ROWS FROM (pg_catalog.unnest(%s), pg_catalog.unnest(%s)) WITH ORDINALITY"
                          " AS pruned_s (pruned_part, pruned_place, pruned_n)",
                          parts, places);
}

/* How many rows the units before I have chosen. */
static char *
count_before (guint i)
{
  GString *out = g_string_new (NULL);
  for (guint before = 0; before < i; before++) {
    g_autofree char *places = part_of_setting (before, 2);
    list_add (out, " + ", "coalesce(pg_catalog.cardinality(%s), 0)", places);
  }
  return out->len > 0 ? g_string_free (out, FALSE) : (g_string_free (out, TRUE), g_strdup ("0"));
}

static char *
at_place (const CatTable *table)
{
  return g_strdup_printf ("%s.ctid = pruned_s.pruned_place AND %s.tableoid = pruned_s.pruned_part",
                          table->own, table->own);
}

/* COLUMNS of the rows of PARENT that are chosen, as a query. */
static char *
parents_chosen (const Below *below, const GArray *units, const CatTable *parent,
                const GPtrArray *columns)
{
  if (parent == below->root)
    return below_rows_of_keys (below, columns);
  guint i = 0;
  while (g_array_index (units, Unit, i).table != parent
         || g_array_index (units, Unit, i).emptied != NULL)
    i++;
  g_autofree char *named = list_named (parent->own, columns), *chosen = chosen_of (i),
                  *at = at_place (parent);
  return g_strdup_printf ("SELECT %s FROM %s JOIN %s ON %s", named, parent->name, chosen, at);
}

/* COLUMNS of the rows of PARENT below the row pruned_k, or of that row itself; not more than it
 * needs to know that they are too many. */
static char *
parents_counted (const Below *below, const CatTable *parent, const GPtrArray *columns)
{
  GString *out = g_string_new (NULL);
  gboolean in_key = parent == below->root;
  for (guint i = 0; in_key && i < columns->len; i++) {
    guint at = 0;
    in_key = g_ptr_array_find (parent->key, columns->pdata[i], &at);
    list_add (out, ", ", "pruned_k.pruned_%u AS pruned_%u", at + 1, i + 1);
  }
  g_autofree char *of_key = g_string_free (out, FALSE), *named = list_named (parent->own, columns);
  if (in_key)
    return g_strdup_printf ("SELECT %s", of_key);
  if (parent == below->root)
    return g_strdup_printf ("SELECT %s FROM %s WHERE %s", named, parent->name,
                            (char *)g_hash_table_lookup (below->words, "match"));
  g_autoptr (GString) ways = g_string_new (NULL);
  for (guint i = 0; i < below->edges->len; i++) {
    const CatKey *key = below->edges->pdata[i];
    if (key->child != parent)
      continue;
    g_autofree char *rows = parents_counted (below, key->parent, key->to),
                    *on = list_refers_all (key, parent->own, "pruned_p");
    list_add (ways, " UNION ALL ", "SELECT %s FROM %s JOIN (%s) AS pruned_p ON %s", named,
              parent->name, rows, on);
  }
  return g_strdup_printf ("SELECT * FROM (%s) AS pruned_f LIMIT :portion::bigint + 1", ways->str);
}

/* --- files --- */

/* The foreign keys by which the rows of UNIT are found; of CatKey. */
static GPtrArray *
ways_of (const Below *below, const Unit *unit)
{
  GPtrArray *ways = g_ptr_array_new ();
  if (unit->emptied != NULL)
    g_ptr_array_add (ways, (gpointer)unit->emptied);
  for (guint i = 0; unit->emptied == NULL && i < below->edges->len; i++)
    if (((CatKey *)below->edges->pdata[i])->child == unit->table)
      g_ptr_array_add (ways, below->edges->pdata[i]);
  return ways;
}

/* Which row of a page has too many. */
static void
write_large (const Below *below, const GArray *units, Written *written)
{
  g_autoptr (GString) counts = g_string_new (NULL);
  for (guint i = 0; i < units->len; i++) {
    const Unit *unit = &g_array_index (units, Unit, i);
    g_autoptr (GPtrArray) ways = ways_of (below, unit);
    for (guint w = 0; w < ways->len; w++) {
      const CatKey *key = ways->pdata[w];
      g_autofree char *rows = parents_counted (below, key->parent, key->to),
                      *on = list_refers_all (key, unit->table->own, "pruned_p");
      list_add (counts, "\n  + ",
                "(SELECT pg_catalog.count(*) FROM (SELECT FROM %s JOIN (%s) AS pruned_p ON %s"
                " LIMIT :portion::bigint + 1) AS pruned_l)",
                unit->table->name, rows, on);
    }
  }
  words_set (below->words, "counts", counts->str);
  written_add (written, g_strdup (WRITTEN_PORTION "large"), NULL, 0,
               words_fill (below->words, "portion_large"));
}

static char *
path_of (const Written *written, const char *folder, const char *table, const char *kind)
{
  return g_strdup_printf (WRITTEN_PORTION "%s/%03u-%s%s", folder, (written->files->len + 1) * 10,
                          table, kind);
}

/* Those of the row itself first, then from the row down. */
static void
write_locks (const Below *below, const GArray *units, Written *written)
{
  written_add (written, path_of (written, "lock", below->root->name, ""), NULL, 0,
               words_fill (below->words, "lock"));
  for (guint i = units->len; i-- > 0;) {
    const Unit *unit = &g_array_index (units, Unit, i);
    g_autoptr (GPtrArray) ways = ways_of (below, unit);
    g_autoptr (GString) chosen = g_string_new (NULL);
    for (guint w = 0; w < ways->len; w++) {
      const CatKey *key = ways->pdata[w];
      g_autofree char *rows = parents_chosen (below, units, key->parent, key->to),
                      *on = list_refers_all (key, unit->table->own, "pruned_p");
      list_add (chosen, "\n  UNION ALL ",
                "SELECT * FROM (SELECT %s.tableoid AS pruned_part, %s.ctid AS pruned_place FROM %s"
                " JOIN (%s) AS pruned_p ON %s LIMIT :portion::bigint FOR UPDATE OF %s) AS pruned_w",
                unit->table->own, unit->table->own, unit->table->name, rows, on, unit->table->own);
    }
    words_set (below->words, "child", unit->table->name);
    words_take (below->words, "setting", g_strdup_printf ("pruned.portion_%u", i + 1));
    words_set (below->words, "chosen", chosen->str);
    written_add (written, path_of (written, "lock", unit->table->name, ""), NULL, 0,
                 words_fill (below->words, "portion_lock"));
  }
}

/* Nothing refers to the row of TABLE any more. */
static char *
is_free (const Below *below, const CatTable *table)
{
  const GPtrArray *all[] = { below->edges, below->empties };
  GString *out = g_string_new (NULL);
  for (guint a = 0; a < G_N_ELEMENTS (all); a++)
    for (guint i = 0; i < all[a]->len; i++) {
      const CatKey *key = all[a]->pdata[i];
      g_autofree char *on = list_refers_to (key, "pruned_c", table->own);
      if (key->parent == table)
        g_string_append_printf (out, "\n  AND NOT EXISTS (SELECT FROM %s AS pruned_c WHERE %s)",
                                key->child->name, on);
    }
  return g_string_free (out, FALSE);
}

static void
set_unit (const Below *below, const Unit *unit, guint i)
{
  const CatTable *table = unit->table;
  words_set (below->words, "child", table->name);
  words_take (below->words, "child_key", list_key (table));
  words_take (below->words, "child_row", list_row (table, below->sentence));
  words_take (below->words, "chosen", chosen_of (i));
  words_take (below->words, "at_place", at_place (table));
  words_take (below->words, "before", count_before (i));
  words_take (below->words, "is_free", is_free (below, table));
}

/* What refers to a row that goes becomes NULL, or its default. */
static void
set_emptied (const Below *below, const Unit *unit)
{
  const CatKey *key = unit->emptied;
  const CatTable *table = unit->table;
  g_autofree char *own_key = list_named (table->own, table->key);
  g_autoptr (GString) set = g_string_new (NULL), changed = g_string_new (NULL),
                      old = g_string_new (own_key);
  for (guint i = 0; i < key->emptied->len; i++) {
    const char *column = ((CatColumn *)key->emptied->pdata[i])->quoted;
    list_add (set, ", ", "%s = %s", column, key->deltype == 'd' ? "DEFAULT" : "NULL");
    list_add (old, ", ", "%s.%s AS pruned_was_%u", table->own, column, i);
    list_add (changed, " OR ", "NOT pg_catalog.record_eq(ROW(%s.%s), ROW(pruned_o.pruned_was_%u))",
              table->own, column, i);
  }
  words_set (below->words, "why", key->name);
  words_set (below->words, "set_empty", set->str);
  words_set (below->words, "changed", changed->str);
  words_set (below->words, "child_old", old->str);
  words_take (below->words, "child_same", list_equal (table->own, table->key, "pruned_o"));
}

/* The file on the own table returns the row and changes nothing. */
static void
write_effects (const Below *below, const GArray *units, Written *written)
{
  const char *const folder = "apply/" WRITTEN_PORTION_WORD;
  written_add (written, path_of (written, folder, below->root->name, ".insert"), below->root, 'i',
               words_fill (below->words, "portion_own"));
  for (guint i = 0; i < units->len; i++) {
    const Unit *unit = &g_array_index (units, Unit, i);
    const gboolean goes = unit->emptied == NULL;
    set_unit (below, unit, i);
    if (!goes)
      set_emptied (below, unit);
    written_add (written, path_of (written, folder, unit->table->name, goes ? "" : ".update"),
                 unit->table, goes ? 'd' : 'u',
                 words_fill (below->words, goes ? "portion_child" : "portion_empty"));
  }
}

void
sentence_portion_write (const Below *below, Written *written)
{
  if (!is_said (below))
    return;
  g_autoptr (GArray) units = units_of (below);
  g_autofree char *word = g_strdup (g_hash_table_lookup (below->words, "word"));
  write_large (below, units, written);
  write_locks (below, units, written);
  words_set (below->words, "word", WRITTEN_PORTION_WORD);
  written_add (written, g_strdup (WRITTEN_PORTION "decide"), NULL, 0,
               words_fill (below->words, "decide"));
  words_set (below->words, "word", word);
  write_effects (below, units, written);
}
