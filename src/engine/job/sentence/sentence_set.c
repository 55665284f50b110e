#include "engine/job/sentence/sentence_set.h"

#include "engine/job/sentence/list.h"
#include "engine/job/sentence/sql_text.h"

#define NEVER "NULL::text"
#define SET_UNASKED "true" /* whether a row gets another value cannot be asked before */

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
    return g_strdup (SET_UNASKED);
  return g_strdup_printf ("ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>)"
                          " ROW(%s)::pg_catalog.record",
                          are->str, wanted->str);
}

/* What tells the value of COLUMN from others, as the only item of a list. */
static char *
set_mark (const CatTable *table, const CatColumn *column)
{
  return g_strdup_printf ("pg_catalog.jsonb_build_array(pg_catalog.hashtextextended(%s.%s::text"
                          " COLLATE \"C\", 0))",
                          table->own, column->quoted);
}

char *
sentence_set_before (const Sentence *sentence, const Catalogue *catalogue)
{
  const CatTable *table = catalogue->tables->pdata[0];
  g_autoptr (GString) marks = g_string_new (NULL);
  for (guint i = 0; i < sentence->set->len; i++) {
    const SentenceSet *one = sentence->set->pdata[i];
    const CatColumn *column = catalogue_column (table, one->column);
    g_autoptr (GPtrArray) only = g_ptr_array_new ();
    g_ptr_array_add (only, (gpointer)column);
    g_autofree char *differs = sentence_set_differs (sentence, catalogue, only),
                    *mark = set_mark (table, column);
    if (g_str_equal (differs, SET_UNASKED))
      list_add (marks, ", ", "'[]'::jsonb");
    else
      list_add (marks, ", ", "CASE WHEN %s THEN %s ELSE '[]' END", differs, mark);
  }
  return g_strdup_printf ("pg_catalog.jsonb_build_array(%s)", marks->str);
}

char *
sentence_set_stays (const Sentence *sentence, const Catalogue *catalogue, const char *before)
{
  const CatTable *table = catalogue->tables->pdata[0];
  GString *cases = g_string_new ("CASE");
  for (guint i = 0; i < sentence->set->len; i++) {
    const SentenceSet *one = sentence->set->pdata[i];
    const CatColumn *column = catalogue_column (table, one->column);
    g_autofree char *mark = set_mark (table, column), *name = list_literal (column->name);
    g_string_append_printf (cases, " WHEN (%s) -> %u = %s THEN %s", before, i, mark, name);
  }
  g_string_append (cases, " END");
  return g_string_free (cases, FALSE);
}
