#include "engine/job/step_words.h"

#include "pg/quoted.h"

#include <string.h>

/* P is at its quote. */
static gboolean
is_escaped (const char *text, const char *p)
{
  return p - text >= 2 && p[-1] == '&' && g_ascii_tolower (p[-2]) == 'u'
         && (p - text == 2 || !quoted_is_name_char (p[-3]));
}

const char *
step_words_behind_blanks (const char *text, const char *p)
{
  const char *end;
  for (;;) {
    p += strspn (p, " \t\r\n\f\v");
    if (*p == '\0' || quoted_at (text, p, &end, NULL) != QUOTED_COMMENT)
      return p;
    p = end;
  }
}

static gboolean
is_called (const char *text, const char *end)
{
  return *step_words_behind_blanks (text, end) == '(';
}

char *
step_word (const char *text, const char **p, const char **at)
{
  const char *end;
  for (; **p != '\0'; *p = end) {
    Quoted quoted = quoted_at (text, *p, &end, NULL);
    if (quoted == QUOTED_NAME && is_called (text, end)) {
      g_autofree char *name = g_strndup (*p, end - *p);
      *at = *p;
      *p = end;
      return is_escaped (text, *at) ? g_strdup (STEP_WORD_ESCAPED) : quoted_bare (name);
    }
    if (quoted != QUOTED_NOT)
      continue;
    end = *p + 1;
    if (!quoted_is_name_char (**p))
      continue;
    while (quoted_is_name_char (*end))
      end++;
    *at = *p;
    *p = end;
    return g_ascii_strdown (*at, end - *at);
  }
  *at = *p;
  return g_strdup ("");
}

int
step_words_line (const char *text, const char *word, guint n)
{
  const char *p = text, *at, *from = text;
  int line = 1;
  for (;;) {
    g_autofree char *found = step_word (text, &p, &at);
    if (*found == '\0')
      return 0;
    if (!g_str_equal (found, word) || --n > 0)
      continue;
    for (; from < at; from++)
      line += *from == '\n';
    return line;
  }
}

int
step_words_depth (const char *text, const char *from, const char *to)
{
  int depth = 0;
  for (const char *p = from, *end; p < to; p = end) {
    end = p + 1;
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + 1;
    depth += (*p == '(') - (*p == ')');
  }
  return depth;
}
