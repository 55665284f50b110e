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

/* Whether the literal from P to END begins with the name of a day. */
static gboolean
names_day (const char *p, const char *end)
{
  static const char *const days[] = { "now", "today", "tomorrow", "yesterday", NULL };
  while (p < end && (g_ascii_isspace (*p) || *p == '\''))
    p++;
  gsize len = 0;
  while (p + len < end && g_ascii_isalpha (p[len]))
    len++;
  const char *rest = p + len;
  while (rest < end && (g_ascii_isspace (*rest) || g_ascii_isdigit (*rest) || *rest == ':'))
    rest++;
  g_autofree char *word = g_ascii_strdown (p, (gssize)len);
  return g_strv_contains (days, word) && rest < end && *rest == '\'';
}

char **
sql_clock_words (const char *text)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  add_words (text, found);
  for (const char *p = text, *end; *p != '\0'; p = end) {
    end = p + 1;
    if (quoted_at (text, p, &end, NULL) == QUOTED_NOT)
      end = p + 1;
    else if (*p == '\'' && names_day (p, end))
      add_once (found, g_strndup (p, (gsize)(end - p)));
  }
  g_ptr_array_add (found, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&found), FALSE);
}
