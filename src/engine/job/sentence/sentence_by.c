#include "engine/job/sentence/sentence_by.h"

#include "engine/job/sentence/list.h"
#include "engine/job/sentence/sentence_key.h"
#include "engine/job/sentence/sql_text.h"

char *
sentence_by_refusal (const Sentence *sentence, const CatTable *table)
{
  const CatColumn *first = NULL;
  gboolean found = FALSE;
  for (char **by = sentence->by; by != NULL && *by != NULL; by++) {
    const CatColumn *column = catalogue_column (table, *by);
    if (column == NULL) {
      g_autofree char *why = catalogue_no_column (table, *by);
      return g_strdup_printf ("on: the key of the event: %s", why);
    }
    first = first != NULL ? first : column;
    found |= column->leads;
  }
  if (first == NULL || found)
    return NULL;
  return g_strdup_printf ("on: events name rows of %s by %s, and no index of all rows begins with "
                          "it: CREATE INDEX %sON %s (%s)",
                          table->name, first->quoted, table->kind == 'p' ? "" : "CONCURRENTLY ",
                          table->name, first->quoted);
}

/* TABLE, as if these columns were its key: what texts of keys become holds for them as well. */
static CatTable
keyed_by (const Sentence *sentence, const CatTable *table)
{
  CatTable by = *table;
  by.key = g_ptr_array_new ();
  for (char **name = sentence->by; *name != NULL; name++)
    g_ptr_array_add (by.key, (gpointer)catalogue_column (table, *name));
  return by;
}

/* The name of a column among the arguments, as the event has it. */
static char *
literal (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "'", -1);
  g_autofree char *doubled = g_strjoinv ("''", parts);
  return g_strdup_printf ("'%s'", doubled);
}

char *
sentence_by_condition (const Sentence *sentence, const CatTable *table)
{
  if (sentence->by == NULL)
    return NULL;
  GString *out = g_string_new (NULL);
  CatTable by = keyed_by (sentence, table);
  g_autoptr (GPtrArray) all = by.key;
  for (guint i = 0; i < all->len; i++) {
    CatColumn *column = all->pdata[i];
    g_autoptr (GPtrArray) one = g_ptr_array_new ();
    g_ptr_array_add (one, column);
    by.key = one;
    g_autofree char *name = literal (sentence->by[i]), *exact = sentence_key_is_exact (&by);
    list_add (out, " AND ",
              "%s.%s %s (SELECT CASE WHEN %s THEN pruned_p.pruned_1::%s END"
              " FROM (SELECT :args::jsonb -> 'rows' ->> %s AS pruned_1) AS pruned_p)",
              table->own, column->quoted, catalogue_sign (column, CAT_EQUAL), exact, column->type,
              name);
  }
  return g_string_free (out, FALSE);
}

/* `jsonb_build_object('person_id', value)`, of what was sent or of a row of the table. */
static char *
object_of (const Sentence *sentence, const CatTable *by, gboolean sent)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < by->key->len; i++) {
    const CatColumn *column = by->key->pdata[i];
    g_autofree char *name = literal (sentence->by[i]);
    g_autofree char *value
        = sent ? g_strdup_printf ("pruned_p.pruned_%u::%s", i + 1, column->declared)
               : g_strdup_printf ("%s.%s", by->own, column->quoted);
    list_add (out, ", ", "%s, (%s)::pg_catalog.text", name, value);
  }
  g_autofree char *list = g_string_free (out, FALSE);
  return g_strdup_printf ("pg_catalog.jsonb_build_object(%s)", list);
}

/* Where equal values have several texts, those of the row whose text comes first. */
static char *
as_rows_have_it (const Sentence *sentence, const CatTable *by)
{
  if (!sentence_key_has_several_texts (by))
    return g_strdup ("NULL");
  g_autofree char *object = object_of (sentence, by, FALSE), *matches = sentence_key_matches (by);
  return g_strdup_printf ("(SELECT %s FROM %s WHERE %s ORDER BY (%s)::pg_catalog.text COLLATE"
                          " \"C\" LIMIT 1)",
                          object, by->name, matches, object);
}

void
sentence_by_set_words (const Sentence *sentence, const CatTable *table, Words *words)
{
  const CatTable by = keyed_by (sentence, table);
  g_autoptr (GPtrArray) columns = by.key;
  words_take (words, "event_parts", sentence_key_parts (&by));
  words_take (words, "event_exact", sentence_key_is_exact (&by));
  words_take (words, "event_known", as_rows_have_it (sentence, &by));
  words_take (words, "event_key", object_of (sentence, &by, TRUE));
}
