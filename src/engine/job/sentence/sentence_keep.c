#include "engine/job/sentence/sentence_keep.h"

#include "engine/job/sentence/list.h"

/* `seen_at desc` -> `seen_at desc NULLS LAST`: what has no place in the order is the oldest. */
static char *
order_of (const Sentence *sentence, const CatTable *table)
{
  GString *out = g_string_new (NULL);
  for (char **by = sentence->keep.by; by != NULL && *by != NULL; by++)
    list_add (out, ", ", "%s NULLS LAST", *by);
  for (guint i = 0; i < table->key->len; i++)
    list_add (out, ", ", "%s.%s", table->own, ((CatColumn *)table->key->pdata[i])->quoted);
  return g_string_free (out, FALSE);
}

char *
sentence_keep_beyond (const Sentence *sentence, const CatTable *table, const char *where)
{
  g_autoptr (GString) known = g_string_new (NULL), group = g_string_new (NULL),
                      outer = g_string_new (NULL), same = g_string_new (NULL);
  g_autofree char *keys = list_named (table->own, table->key), *order = order_of (sentence, table);
  g_string_append (outer, keys);
  for (char **per = sentence->keep.per; per != NULL && *per != NULL; per++) {
    const CatColumn *column = catalogue_column (table, *per);
    const char *quoted = column->quoted;
    g_string_append_printf (known, "%s.%s IS NOT NULL AND ", table->own, quoted);
    g_string_append_printf (group, " AND %s.%s %s pruned_g.pruned_per_%u", table->own, quoted,
                            catalogue_sign (column, CAT_EQUAL), (guint)(per - sentence->keep.per));
    list_add (outer, ", ", "%s.%s AS pruned_per_%u", table->own, quoted,
              (guint)(per - sentence->keep.per));
  }
  for (guint i = 1; i <= table->key->len; i++)
    list_add (same, " AND ", "pruned_s.pruned_%u %s pruned_g.pruned_%u", i,
              catalogue_sign (table->key->pdata[i - 1], CAT_EQUAL), i);
  return g_strdup_printf (
      "%s(SELECT NOT EXISTS (SELECT FROM (SELECT %s FROM %s WHERE (%s)%s ORDER BY %s LIMIT %" G_GINT64_FORMAT
      ") AS pruned_s WHERE %s) FROM (SELECT %s) AS pruned_g)",
      known->str, keys, table->name, where, group->str, order, sentence->keep.rows, same->str,
      outer->str);
}
