#include "engine/job/sentence/calls.h"

#include "engine/job/sentence/sql_text.h"

#define CHANGES "src/engine/job/sentence/sql/sentence_changes.sql"

typedef struct {
  GPtrArray *values; /* of PgValues: a question each */
  GPtrArray *into;   /* of char **: where its answer goes */
  gboolean any;      /* something is called */
} Questions;

/* What TEXT calls; NULL: nothing. */
static void
add_calls (Questions *questions, const char *text, GString *schemas, GString *names)
{
  const gsize none = names->len;
  if (text != NULL)
    sql_text_calls (text, schemas, names);
  questions->any |= names->len > none;
}

static void
add_question (Questions *questions, GString *schemas, GString *names, char **into)
{
  PgValues *values = pg_values_new ();
  pg_values_take (values, "schemas", array_take (schemas));
  pg_values_take (values, "names", array_take (names));
  g_ptr_array_add (questions->values, values);
  g_ptr_array_add (questions->into, into);
}

static void
ask_text (Questions *questions, const char *text, char **into)
{
  GString *schemas = array_new (), *names = array_new ();
  add_calls (questions, text, schemas, names);
  add_question (questions, schemas, names, into);
}

static void
ask_set (Questions *questions, const GPtrArray *set, char **into)
{
  GString *schemas = array_new (), *names = array_new ();
  for (guint i = 0; i < set->len; i++)
    add_calls (questions, ((const SentenceSet *)set->pdata[i])->value, schemas, names);
  add_question (questions, schemas, names, into);
}

gboolean
calls_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all, GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify)pg_values_free),
                        into = g_ptr_array_new ();
  Questions questions = { values, into, FALSE };
  for (guint i = 0; i < all->len; i++) {
    Catalogue *catalogue = all->pdata[i];
    ask_text (&questions, sentences[i]->where, &catalogue->changes);
    if (sentences[i]->unless != NULL)
      ask_text (&questions, sentences[i]->unless, &catalogue->unless_changes);
    if (sentences[i]->kind == SENTENCE_SET)
      ask_set (&questions, sentences[i]->set, &catalogue->set_changes);
  }
  if (!questions.any)
    return TRUE;
  g_autoptr (GPtrArray) found = pg_run_each (pg, pg_statement (CHANGES),
                                             (PgValues *const *)values->pdata, values->len, error);
  for (guint i = 0; found != NULL && i < found->len; i++)
    *(char **)into->pdata[i] = g_strdup (rows_text (found->pdata[i], 0, "name"));
  return found != NULL;
}
