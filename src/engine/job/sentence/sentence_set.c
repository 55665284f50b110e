#include "engine/job/sentence/sentence_set.h"

#include "engine/job/sentence/list.h"
#include "engine/job/sentence/sql_text.h"

#define NEVER "NULL::text"

char *
sentence_set_list (const Sentence *sentence, const CatTable *table)
{
  GString *set = g_string_new (NULL);
  for (guint i = 0; i < sentence->set->len; i++) {
    const SentenceSet *one = sentence->set->pdata[i];
    g_autofree char *value = sql_text_at (one->value, SENTENCE_TIME);
    list_add (set, ", ", "%s = %s", catalogue_column (table, one->column)->quoted, value);
  }
  return g_string_free (set, FALSE);
}

/* The values that `set` gives to COLUMNS (NULL: to all that it names), and those that they have, as
 * lists. FALSE: one of them cannot be asked for. */
static gboolean
set_values (const Sentence *sentence, const CatTable *table, const GPtrArray *columns, GString *are,
            GString *wanted)
{
  for (guint i = 0; i < sentence->set->len; i++) {
    const SentenceSet *one = sentence->set->pdata[i];
    const CatColumn *column = catalogue_column (table, one->column);
    if (columns != NULL && !g_ptr_array_find ((GPtrArray *)columns, column, NULL))
      continue;
    g_autofree char *value = sql_text_at (one->value, SENTENCE_TIME);
    if (g_ascii_strcasecmp (one->value, "DEFAULT") == 0)
      return FALSE;
    list_add (are, ", ", "%s.%s", table->own, column->quoted);
    list_add (wanted, ", ", "(%s)::%s", value, column->declared);
  }
  return TRUE;
}

/* The bytes are compared: texts that are equal to their column may be written differently. The
 * decision changes no row, so it does not ask for a value that may change some. */
char *
sentence_set_spared (const Sentence *sentence, const Catalogue *catalogue)
{
  g_autoptr (GString) are = g_string_new (NULL), wanted = g_string_new (NULL);
  if (sentence->kind != SENTENCE_SET || catalogue->set_changes != NULL
      || !set_values (sentence, catalogue->tables->pdata[0], NULL, are, wanted))
    return g_strdup (NEVER);
  return g_strdup_printf ("CASE WHEN ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*=)"
                          " ROW(%s)::pg_catalog.record THEN 'unchanged' END",
                          are->str, wanted->str);
}

char *
sentence_set_differs (const Sentence *sentence, const Catalogue *catalogue,
                      const GPtrArray *columns)
{
  g_autoptr (GString) are = g_string_new (NULL), wanted = g_string_new (NULL);
  if (catalogue->set_changes != NULL
      || !set_values (sentence, catalogue->tables->pdata[0], columns, are, wanted))
    return g_strdup ("true");
  return g_strdup_printf ("ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>)"
                          " ROW(%s)::pg_catalog.record",
                          are->str, wanted->str);
}
