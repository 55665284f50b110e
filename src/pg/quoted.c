#include "pg/quoted.h"

#include <string.h>

gboolean
quoted_is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || (guchar)c >= 0x80;
}

gsize
quoted_name_length (const char *p)
{
  gsize len = 0;
  while (quoted_is_name_char (p[len]))
    len++;
  return len;
}

/* The end behind the quote that closes, in which two quotes are one; NULL: it is not closed.
 * ESCAPES: a backslash takes the next character with it. */
static const char *
closing_quote (const char *p, char quote, gboolean escapes)
{
  for (; *p != '\0'; p++) {
    if (escapes && *p == '\\' && p[1] != '\0')
      p++;
    else if (*p == quote && p[1] == quote)
      p++;
    else if (*p == quote)
      return p + 1;
  }
  return NULL;
}

/* Whether the quote at P belongs to a literal E'..'. */
static gboolean
has_escapes (const char *text, const char *p)
{
  return p > text && (p[-1] == 'e' || p[-1] == 'E')
         && (p - 1 == text || !quoted_is_name_char (p[-2]));
}

/* The length of `$tag$` or `$$`; 0: none is there. */
static gsize
dollar_tag (const char *text, const char *p)
{
  if (p > text && quoted_is_name_char (p[-1]))
    return 0;
  gsize len = 1;
  while (p[len] != '$' && quoted_is_name_char (p[len]))
    len++;
  return p[len] == '$' && !g_ascii_isdigit (p[1]) ? len + 1 : 0;
}

static const char *
closing_tag (const char *p, gsize len)
{
  g_autofree char *tag = g_strndup (p, len);
  const char *end = strstr (p + len, tag);
  return end != NULL ? end + len : NULL;
}

/* Comments of C are nested in SQL. */
static const char *
closing_comment (const char *p)
{
  int depth = 1;
  for (; *p != '\0' && depth > 0; p++)
    if (p[0] == '*' && p[1] == '/') {
      depth--;
      p++;
    } else if (p[0] == '/' && p[1] == '*') {
      depth++;
      p++;
    }
  return depth == 0 ? p : NULL;
}

Quoted
quoted_at (const char *text, const char *p, const char **end, gboolean *closed)
{
  Quoted found = QUOTED_LITERAL;
  gsize tag = *p == '$' ? dollar_tag (text, p) : 0;
  if (*p == '\'')
    *end = closing_quote (p + 1, '\'', has_escapes (text, p));
  else if (tag > 0)
    *end = closing_tag (p, tag);
  else if (*p == '"') {
    found = QUOTED_NAME;
    *end = closing_quote (p + 1, '"', FALSE);
  } else if (p[0] == '-' && p[1] == '-') {
    found = QUOTED_COMMENT;
    *end = p + strcspn (p, "\n");
  } else if (p[0] == '/' && p[1] == '*') {
    found = QUOTED_COMMENT;
    *end = closing_comment (p + 2);
  } else
    return QUOTED_NOT;
  if (closed != NULL)
    *closed = *end != NULL;
  if (*end == NULL)
    *end = p + strlen (p);
  return found;
}

char *
quoted_make (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "\"", -1);
  g_autofree char *doubled = g_strjoinv ("\"\"", parts);
  return g_strdup_printf ("\"%s\"", doubled);
}

/* Behind the last dot that is in no quotes. */
static const char *
last_part (const char *name)
{
  const char *last = name;
  gboolean quoted = FALSE;
  for (const char *p = name; *p != '\0'; p++) {
    quoted = quoted != (*p == '"');
    if (*p == '.' && !quoted)
      last = p + 1;
  }
  return last;
}

char *
quoted_bare (const char *name)
{
  const char *last = last_part (name);
  if (*last != '"')
    return g_strdup (last);
  g_autofree char *inner = g_strndup (last + 1, strlen (last) - 2);
  g_auto (GStrv) parts = g_strsplit (inner, "\"\"", -1);
  return g_strjoinv ("\"", parts);
}

char *
quoted_schema (const char *name)
{
  const char *last = last_part (name);
  return last > name ? g_strndup (name, (gsize)(last - name) - 1) : NULL;
}

char *
quoted_whole (const char *name)
{
  GString *whole = g_string_new (NULL);
  for (const char *p = name, *end; *p != '\0'; p = end) {
    end = *p == '"' ? closing_quote (p + 1, '"', FALSE) : p + strcspn (p, ".");
    if (end == NULL)
      end = p + strlen (p);
    g_autofree char *part = g_strndup (p, (gsize)(end - p)),
                    *folded = g_ascii_strdown (g_strstrip (part), -1);
    if (*p == '"')
      g_string_append (whole, part);
    else if (*folded != '\0')
      g_string_append_printf (whole, "\"%s\"", folded);
    if (*end == '.')
      g_string_append_c (whole, *end++);
  }
  return g_string_free (whole, FALSE);
}

int
quoted_open_line (const char *text)
{
  int line = 1;
  for (const char *p = text, *end; *p != '\0'; p = end) {
    gboolean closed = TRUE;
    if (quoted_at (text, p, &end, &closed) == QUOTED_NOT)
      end = p + 1;
    else if (!closed)
      return line;
    for (const char *c = p; c < end; c++)
      line += *c == '\n';
  }
  return 0;
}
