#include "engine/job/sentence/sql_clock.h"

#include "engine/job/step_words.h"
#include "pg/quoted.h"

#include <string.h>

static const char *const WORDS[]
    = { "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", NULL };
static const char *const CALLS[] = {
  "now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday", NULL
};

static void
add_once (GPtrArray *found, char *text)
{
  if (g_ptr_array_find_with_equal_func (found, text, g_str_equal, NULL))
    g_free (text);
  else
    g_ptr_array_add (found, text);
}

/* Whether the call whose bracket is at P has one argument: `age(x)` counts from today. */
static gboolean
has_one_argument (const char *text, const char *p)
{
  int depth = 0;
  for (const char *end; *p != '\0'; p = end) {
    end = p + 1;
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + 1;
    depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    if (depth == 0 || (*p == ',' && depth == 1))
      return depth == 0;
  }
  return FALSE;
}

static gboolean
is_column (const char *text, const char *at)
{
  while (at > text && g_ascii_isspace (at[-1]))
    at--;
  return at > text && at[-1] == '.';
}

static void
add_words (const char *text, GPtrArray *found)
{
  for (const char *p = text, *at; *p != '\0';) {
    g_autofree char *word = step_word (text, &p, &at);
    const char *behind = step_words_behind_blanks (text, p);
    if (g_strv_contains (WORDS, word) && !is_column (text, at))
      add_once (found, g_steal_pointer (&word));
    else if (*behind == '(' && g_strv_contains (CALLS, word))
      add_once (found, g_strconcat (word, "()", NULL));
    else if (*behind == '(' && g_str_equal (word, "age") && has_one_argument (text, behind))
      add_once (found, g_strdup ("age() of one time"));
  }
}

/* Whether a literal with one of the names of days in it can have this WORD beside it, and be a
 * time: `12:00 today`, `tomorrow 4 PM`, `today 12:00 CET`. */
static gboolean
is_of_time (const char *word)
{
  static const char *const known[]
      = { "am", "pm", "z", "zulu", "utc", "gmt", "allballs", "t", NULL };
  g_autofree char *lower = g_ascii_strdown (word, -1);
  gboolean upper = strlen (word) <= 5;
  for (const char *p = word; *p != '\0'; p++)
    upper = upper && g_ascii_isupper (*p);
  return !g_ascii_isalpha (*word) || upper || strchr (word, '/') != NULL
         || g_strv_contains (known, lower);
}

/* Whether the literal SAID is a time if it is read as one, and not the same on each day. */
static gboolean
names_day (const char *said)
{
  static const char *const days[] = { "now", "today", "tomorrow", "yesterday", NULL };
  g_auto (GStrv) words = g_regex_split_simple ("([A-Za-z][A-Za-z/_]*)|[\\s,]+", said, 0, 0);
  guint n = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    g_autofree char *lower = g_ascii_strdown (words[i], -1);
    const gboolean day = g_strv_contains (days, lower);
    n += day;
    if (!day && (!is_of_time (words[i]) || strpbrk (words[i], "()") != NULL))
      return FALSE;
  }
  return n == 1;
}

/* What the literal from P to END says: '..', or $tag$..$tag$. */
static char *
said (const char *p, const char *end)
{
  const gsize marks = *p == '$' ? (gsize)(strchr (p + 1, '$') - p) + 1 : 1;
  return g_strndup (p + marks, (gsize)(end - p) - 2 * marks);
}

char **
sql_clock_words (const char *text)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  add_words (text, found);
  for (const char *p = text, *end; *p != '\0'; p = end) {
    gboolean closed;
    const Quoted quoted = quoted_at (text, p, &end, &closed);
    if (quoted == QUOTED_NOT)
      end = p + 1;
    if (quoted != QUOTED_LITERAL || !closed)
      continue;
    g_autofree char *literal = said (p, end);
    if (names_day (literal))
      add_once (found, g_strdup_printf ("'%s'", literal));
  }
  g_ptr_array_add (found, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&found), FALSE);
}
