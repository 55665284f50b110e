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

/* The bytes are compared: texts that are equal to their column may be written differently. The
 * decision changes no row, so it does not ask for a value that may change some. */
char *
sentence_set_spared (const Sentence *sentence, const Catalogue *catalogue)
{
  const CatTable *table = catalogue->tables->pdata[0];
  g_autoptr (GString) are = g_string_new (NULL), wanted = g_string_new (NULL);
  if (sentence->kind != SENTENCE_SET || catalogue->set_changes != NULL)
    return g_strdup (NEVER);
  for (guint i = 0; i < sentence->set->len; i++) {
    const SentenceSet *one = sentence->set->pdata[i];
    const CatColumn *column = catalogue_column (table, one->column);
    g_autofree char *value = sql_text_at (one->value, SENTENCE_TIME);
    if (g_ascii_strcasecmp (one->value, "DEFAULT") == 0)
      return g_strdup (NEVER);
    list_add (are, ", ", "%s.%s", table->own, column->quoted);
    list_add (wanted, ", ", "(%s)::%s", value, column->declared);
  }
  return g_strdup_printf ("CASE WHEN ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*=)"
                          " ROW(%s)::pg_catalog.record THEN 'unchanged' END",
                          are->str, wanted->str);
}
