#include "engine/job/sentence/calls.h"

#include "engine/job/sentence/sql_text.h"

#define CHANGES "src/engine/job/sentence/sql/sentence_changes.sql"

static PgValues *
question_of (GString *schemas, GString *names)
{
  PgValues *values = pg_values_new ();
  pg_values_take (values, "schemas", array_take (schemas));
  pg_values_take (values, "names", array_take (names));
  return values;
}

static PgValues *
of_where (const Sentence *sentence, gboolean *any)
{
  GString *schemas = array_new (), *names = array_new ();
  gsize none = names->len;
  if (sentence->where != NULL)
    sql_text_calls (sentence->where, schemas, names);
  *any |= names->len > none;
  return question_of (schemas, names);
}

static PgValues *
of_set (const Sentence *sentence, gboolean *any)
{
  GString *schemas = array_new (), *names = array_new ();
  gsize none = names->len;
  for (guint i = 0; i < sentence->set->len; i++)
    sql_text_calls (((SentenceSet *)sentence->set->pdata[i])->value, schemas, names);
  *any |= names->len > none;
  return question_of (schemas, names);
}

/* Behind what each `where` calls stands what each `set` calls. */
gboolean
calls_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all, GError **error)
{
  gboolean any = FALSE;
  guint next = all->len;
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify)pg_values_free);
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (values, of_where (sentences[i], &any));
  for (guint i = 0; i < all->len; i++)
    if (sentences[i]->kind == SENTENCE_SET)
      g_ptr_array_add (values, of_set (sentences[i], &any));
  if (!any)
    return TRUE;
  g_autoptr (GPtrArray) found = pg_run_each (pg, pg_statement (CHANGES),
                                             (PgValues *const *)values->pdata, values->len, error);
  for (guint i = 0; found != NULL && i < all->len; i++) {
    Catalogue *catalogue = all->pdata[i];
    catalogue->changes = g_strdup (rows_text (found->pdata[i], 0, "name"));
    if (sentences[i]->kind == SENTENCE_SET)
      catalogue->set_changes = g_strdup (rows_text (found->pdata[next++], 0, "name"));
  }
  return found != NULL;
}
