#include "engine/job/sentence/behind.h"

#include "engine/job/sentence/hidden.h"

#include <string.h>

gboolean
behind_is_any (const char *text)
{
  return strchr (text, '(') != NULL;
}

PgValues *
behind_question (const char *text)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "text", text);
  return values;
}

char *
behind_hides (const PgRows *rows, int row)
{
  const char *name = rows_text (rows, row, "name"), *role = rows_text (rows, row, "role");
  if (!rows_bool (rows, row, "hides"))
    return NULL;
  return g_strdup_printf ("%s switches row_security on, and runs as %s: rows that row-level "
                          "security hides from it would be missing in silence. Take the setting "
                          "from the function, or give %s BYPASSRLS",
                          name, role, role);
}

PgValues *
behind_operators (const PgRows *rows, int row)
{
  const char *none[] = { NULL }, *types = rows_text (rows, row, "types");
  if (rows_bool (rows, row, "pathed"))
    return NULL;
  g_autofree char *text
      = g_strdup_printf ("%s\n%s", types != NULL ? types : "", rows_text (rows, row, "text"));
  return hidden_question (text, none);
}

char *
behind_why (const PgRows *rows, int row, const PgRows *operators)
{
  g_autofree char *why = hidden_why (operators);
  return why != NULL ? g_strdup_printf ("%s: %s, or give the function a search_path of its own",
                                        rows_text (rows, row, "name"), why)
                     : NULL;
}

/* What is asked about the functions behind the sentences. */
typedef struct {
  const GPtrArray *answers; /* of PgRows, one a sentence: of BEHIND */
  GPtrArray *questions;     /* of PgValues: of HIDDEN_OPERATORS */
  GArray *places;           /* of Place: what each question is about */
} Asked;
typedef struct {
  guint sentence;
  int row;
} Place;

/* KEY of the sentence and WHY, which is taken; the first reason stays. */
static void
note (Catalogue *catalogue, const char *key, char *why)
{
  if (why != NULL && catalogue->hidden == NULL)
    catalogue->hidden = g_strdup_printf ("%s: %s", key, why);
  g_free (why);
}

static void
note_hiding (const Sentence *const *sentences, const GPtrArray *all, Asked *asked)
{
  for (guint i = 0; i < all->len; i++) {
    const PgRows *rows = asked->answers->pdata[i];
    for (int row = 0; row < rows_count (rows); row++) {
      PgValues *question = behind_operators (rows, row);
      note (all->pdata[i], hidden_key (sentences[i]), behind_hides (rows, row));
      if (question == NULL)
        continue;
      g_ptr_array_add (asked->questions, question);
      g_array_append_val (asked->places, ((Place){ i, row }));
    }
  }
}

static gboolean
note_operators (Pg *pg, const Sentence *const *sentences, const GPtrArray *all, const Asked *asked,
                GError **error)
{
  if (asked->questions->len == 0)
    return TRUE;
  g_autoptr (GPtrArray) found
      = pg_run_each (pg, pg_statement (HIDDEN_OPERATORS),
                     (PgValues *const *)asked->questions->pdata, asked->questions->len, error);
  for (guint i = 0; found != NULL && i < found->len; i++) {
    const Place place = g_array_index (asked->places, Place, i);
    note (all->pdata[place.sentence], hidden_key (sentences[place.sentence]),
          behind_why (asked->answers->pdata[place.sentence], place.row, found->pdata[i]));
  }
  return found != NULL;
}

gboolean
behind_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func ((GDestroyNotify)pg_values_free),
                        questions = g_ptr_array_new_with_free_func ((GDestroyNotify)pg_values_free);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  gboolean any = FALSE;
  for (guint i = 0; i < all->len; i++) {
    g_autofree char *text = hidden_text (sentences[i]);
    any |= behind_is_any (text);
    g_ptr_array_add (wanted, behind_question (text));
  }
  if (!any)
    return TRUE;
  g_autoptr (GPtrArray) answers = pg_run_each (
      pg, pg_statement (BEHIND), (PgValues *const *)wanted->pdata, wanted->len, error);
  if (answers == NULL)
    return FALSE;
  Asked asked = { answers, questions, places };
  note_hiding (sentences, all, &asked);
  return note_operators (pg, sentences, all, &asked, error);
}
