#include "engine/job/sentence/key_read.h"

#include "engine/job/sentence/sentence_key.h"
#include "engine/job/sentence/sentence_keys.h"
#include "engine/job/sentence/words.h"

static const PgStatement *
statement_of (const CatTable *table, GError **error)
{
  g_autoptr (Words) words = words_new ();
  words_take (words, "event_parts", sentence_key_parts (table));
  words_take (words, "event_key", sentence_key_written (table));
  words_take (words, "event_exact", sentence_key_is_exact (table));
  words_take (words, "in_json", sentence_key_in_json (table));
  g_autofree char *text = words_fill (words, "audit_key");
  g_autofree char *name = g_strdup_printf ("the key of %s", table->name);
  return pg_statement_text (name, text, error);
}

gboolean
key_read (Pg *pg, const char *table, char **parts, char **key, char **in_json, GError **error)
{
  g_autoptr (Sentence) sentence = sentence_new ();
  g_autoptr (PgValues) values = pg_values_new ();
  sentence->name = g_strdup (table);
  sentence->table = g_strdup (table);
  g_autoptr (Catalogue) catalogue = catalogue_read (pg, sentence, error);
  if (catalogue == NULL)
    return FALSE;
  const CatTable *own = catalogue->tables->pdata[0];
  if (own->key->len != g_strv_length (parts))
    return error_fatal (error, CATALOGUE_TORN, table);
  for (guint i = 0; parts[i] != NULL; i++) {
    GString *text = array_new ();
    array_add (text, parts[i]);
    g_autofree char *parameter = sentence_key_parameter (i);
    pg_values_take (values, parameter, array_take (text));
  }
  const PgStatement *statement = statement_of (own, error);
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (pg, statement, values, error) : NULL;
  if (rows == NULL && statement != NULL && pg_is_no_value (pg))
    (*error)->code = PRUNED_REJECT;
  *key = rows != NULL ? g_strdup (rows_text (rows, 0, "key")) : NULL;
  *in_json = rows != NULL ? g_strdup (rows_text (rows, 0, "in_json")) : NULL;
  return rows != NULL;
}
