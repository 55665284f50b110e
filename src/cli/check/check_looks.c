/* Tables that look like parts of a sentence's rows, and that nothing ties to them: no foreign key,
 * and no word of the sentence. Their rows stay, which may not be meant. */
#include "cli/check/check_wanted.h"

#include "base/plural.h"

#define LOOKS "src/cli/check/sql/looks.sql"
#define NAME "no foreign key"
#define MOST 8 /* tables that are named */

static gboolean
removes (const Sentence *sentence)
{
  return sentence != NULL
         && (sentence->kind == SENTENCE_DELETE || sentence->kind == SENTENCE_ARCHIVE);
}

static void
want_looks (const Job *job, CheckWanted *wanted)
{
  const Sentence *sentence = job->sentence;
  if (!removes (sentence))
    return;
  check_want (job, sentence->table, "", wanted);
  for (guint i = 0; i < sentence->children->len; i++)
    check_want (job, ((const SentenceChild *)sentence->children->pdata[i])->table, "child", wanted);
  if (sentence->archive != NULL)
    check_want (job, sentence->archive, "archive", wanted);
}

/* `legal_holds` in a condition: whoever wrote it knows the table. */
static gboolean
is_in_condition (const Sentence *sentence, const char *bare)
{
  g_autofree char *name = g_regex_escape_string (bare, -1),
                  *word = g_strdup_printf ("(?<!\\w)%s(?!\\w)", name);
  return sentence->where != NULL
         && g_regex_match_simple (word, sentence->where, G_REGEX_CASELESS, 0);
}

/* What `children` says now, to be continued. */
static GString *
children_words (const Sentence *sentence)
{
  GString *words = g_string_new (sentence->children_auto ? "auto" : "");
  for (guint i = 0; i < sentence->children->len; i++) {
    const SentenceChild *child = sentence->children->pdata[i];
    g_autofree char *columns = child->columns != NULL ? g_strjoinv (", ", child->columns) : NULL;
    g_string_append_printf (words, "%s%s%s%s%s", words->len > 0 ? ", " : "", child->table,
                            columns != NULL ? "(" : "", columns != NULL ? columns : "",
                            columns != NULL ? ")" : "");
  }
  return words;
}

void
check_looks (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  g_autoptr (PgRows) rows = check_ask_of (check, NAME, LOOKS, want_looks);
  if (rows == NULL || !removes (sentence))
    return;
  g_autoptr (GString) named = g_string_new (NULL), say = children_words (sentence);
  guint n = 0;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *table = rows_text (rows, i, "table"), *column = rows_text (rows, i, "column");
    if (is_in_condition (sentence, rows_text (rows, i, "bare")) || ++n > MOST)
      continue;
    g_string_append_printf (named, "%s%s(%s)", n > 1 ? ", " : "", table, column);
    g_string_append_printf (say, "%s%s(%s)", say->len > 0 ? ", " : "", table, column);
  }
  if (n == 0)
    return;
  if (n > MOST)
    g_string_append_printf (named, " and %u more", n - MOST);
  g_autofree char *remedy
      = g_strdup_printf ("children = %s  # if these rows are parts of it, and a "
                         "foreign key does not say so",
                         say->str);
  check_warn (check, NAME, check_place_of_key (check, "children"), remedy,
              "%s %s like the key of %s, without a foreign key: %s rows stay when a row of %s goes",
              named->str, plural (n, "looks", "look"), sentence->table, plural (n, "its", "their"),
              sentence->table);
}
