#include "engine/job/sentence/hidden.h"

#include "pg/quoted.h"

#include <string.h>

#define SIGNS "+-*/<>=~!@#%^&|`?"

/* Words that stand for operators. */
static const char *const MEANT[][2]
    = { { "like", "~~" }, { "ilike", "~~*" }, { "in", "=" },      { "between", ">=" },
        { "case", "=" },  { "nullif", "=" },  { "distinct", "=" } };

static void
add_word (GString *words, const char *p, gsize len)
{
  g_autofree char *word = g_ascii_strdown (p, (gssize)len);
  array_add (words, word);
  for (guint i = 0; i < G_N_ELEMENTS (MEANT); i++)
    if (g_str_equal (word, MEANT[i][0]))
      array_add (words, MEANT[i][1]);
  if (g_str_equal (word, "!="))
    array_add (words, "<>");
}

/* The names and operators in TEXT, an array literal. */
static char *
words_of (const char *text)
{
  GString *words = array_new ();
  for (const char *p = text, *end; *p != '\0'; p = end) {
    const Quoted quoted = quoted_at (text, p, &end, NULL);
    if (quoted == QUOTED_NAME) {
      g_autofree char *name = g_strndup (p, (gsize)(end - p)), *bare = quoted_bare (name);
      array_add (words, bare);
    }
    if (quoted != QUOTED_NOT)
      continue;
    const gsize name = quoted_name_length (p), sign = strspn (p, SIGNS);
    end = p + MAX (1, MAX (name, sign));
    if (name > 0 || sign > 0)
      add_word (words, p, (gsize)(end - p));
  }
  return array_take (words);
}

PgValues *
hidden_question (const char *text, const char *const *tables)
{
  GString *names = array_new ();
  for (; *tables != NULL; tables++)
    array_add (names, *tables);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "words", words_of (text));
  pg_values_take (values, "tables", array_take (names));
  return values;
}

char *
hidden_why (const PgRows *rows)
{
  if (rows_count (rows) == 0)
    return NULL;
  const char *schema = rows_text (rows, 0, "schema");
  g_autofree char *remedy
      = rows_bool (rows, 0, "usable")
            ? g_strdup_printf ("add %s to [postgres] extension_schemas", schema)
            : g_strdup_printf ("this role needs USAGE on schema %s, and [postgres] "
                               "extension_schemas has to name it",
                               schema);
  return g_strdup_printf ("%s: operator %s of type %s is not in the path, so PostgreSQL would take "
                          "another one than in a session of the application: %s",
                          rows_text (rows, 0, "place"), rows_text (rows, 0, "operator"),
                          rows_text (rows, 0, "type"), remedy);
}

const char *
hidden_key (const Sentence *sentence)
{
  return sentence->where != NULL ? "where" : "set";
}

char *
hidden_text (const Sentence *sentence)
{
  GString *text = g_string_new (sentence->where);
  for (guint i = 0; sentence->set != NULL && i < sentence->set->len; i++)
    g_string_append_printf (text, "\n%s", ((SentenceSet *)sentence->set->pdata[i])->value);
  return g_string_free (text, FALSE);
}

gboolean
hidden_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func ((GDestroyNotify)pg_values_free);
  gboolean any = FALSE;
  for (guint i = 0; i < all->len; i++) {
    const char *tables[] = { sentences[i]->table, NULL };
    g_autofree char *text = hidden_text (sentences[i]);
    any |= *text != '\0';
    g_ptr_array_add (wanted, hidden_question (text, tables));
  }
  if (!any)
    return TRUE;
  g_autoptr (GPtrArray) rows = pg_run_each (pg, pg_statement (HIDDEN_OPERATORS),
                                            (PgValues *const *)wanted->pdata, wanted->len, error);
  for (guint i = 0; rows != NULL && i < all->len; i++) {
    g_autofree char *why = hidden_why (rows->pdata[i]);
    if (why != NULL)
      ((Catalogue *)all->pdata[i])->hidden
          = g_strdup_printf ("%s: %s", hidden_key (sentences[i]), why);
  }
  return rows != NULL;
}
