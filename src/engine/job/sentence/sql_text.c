#include "engine/job/sentence/sql_text.h"

#include "engine/job/step_text.h"
#include "pg/pg.h"
#include "pg/quoted.h"

#include <string.h>

#define DEEPEST 200 /* brackets in brackets */

static gboolean
begins_name (char c)
{
  return quoted_is_name_char (c) && !g_ascii_isdigit (c) && c != '$';
}

/* `:T`, and not `::T`. */
static gboolean
is_time (const char *p)
{
  return p[0] == ':' && p[1] == 'T' && !quoted_is_name_char (p[2]);
}

/* --- expressions --- */

typedef struct {
  char closing[DEEPEST]; /* the brackets that are open, each by the one that closes it */
  int depth;
} Brackets;

static gboolean
take_bracket (Brackets *brackets, char c, GError **error)
{
  if (c == '(' || c == '[') {
    if (brackets->depth == DEEPEST)
      return error_fatal (error, "more than %d brackets in each other", DEEPEST);
    brackets->closing[brackets->depth++] = c == '(' ? ')' : ']';
  } else if (c == ')' || c == ']') {
    if (brackets->depth == 0 || brackets->closing[--brackets->depth] != c)
      return error_fatal (error, "'%c' closes no bracket", c);
  }
  return TRUE;
}

/* Checks what is code at P; returns how long it is, 0: an error. */
static gsize
take_code (const char *p, Brackets *brackets, GError **error)
{
  gsize len = begins_name (*p) ? quoted_name_length (p) : 1;
  if (*p == ';')
    return error_fatal (error, "';' cannot stand in an expression");
  if (*p == '$' && g_ascii_isdigit (p[1]))
    return error_fatal (error, "unknown parameter '$%.*s': the only one is :T",
                        (int)quoted_name_length (p + 1), p + 1);
  if (p[0] == ':' && p[1] == ':')
    return 2;
  if (is_time (p))
    return 2;
  if (p[0] == ':' && begins_name (p[1]))
    return error_fatal (
        error,
        "unknown parameter ':%.*s': the only one is :T; a blank behind the colon makes it "
        "the end of a slice",
        (int)quoted_name_length (p + 1), p + 1);
  return take_bracket (brackets, *p, error) ? len : 0;
}

/* Moves *AT to the end, or to the first comma that is in no bracket if BY_COMMA. */
static gboolean
take_expression (const char *text, const char **at, gboolean by_comma, GError **error)
{
  Brackets brackets = { .depth = 0 };
  for (const char *p = *at, *end; *p != '\0'; *at = p = end) {
    gboolean closed;
    Quoted quoted = quoted_at (text, p, &end, &closed);
    if (quoted == QUOTED_COMMENT)
      return error_fatal (error, "a comment ('%.2s') cannot stand in an expression", p);
    if (quoted != QUOTED_NOT && !closed)
      return error_fatal (error, "a quote (%c) is not closed", *p);
    if (quoted != QUOTED_NOT)
      continue;
    if (by_comma && *p == ',' && brackets.depth == 0)
      return TRUE;
    gsize len = take_code (p, &brackets, error);
    if (len == 0)
      return FALSE;
    end = p + len;
  }
  return brackets.depth == 0
         || error_fatal (error, "a bracket is not closed: '%c' is missing",
                         brackets.closing[brackets.depth - 1]);
}

gboolean
sql_text_is_expression (const char *text, GError **error)
{
  if (text[strspn (text, " \t\r\n\f\v")] == '\0')
    return error_fatal (error, "the value is empty");
  const char *at = text;
  return take_expression (text, &at, FALSE, error) && step_text_is_condition (text, error);
}

char *
sql_text_at (const char *text, const char *value)
{
  GString *out = g_string_new (NULL);
  for (const char *p = text, *end; *p != '\0'; p = end) {
    if (quoted_at (text, p, &end, NULL) == QUOTED_NOT) {
      end = p + (p[0] == ':' && (p[1] == ':' || is_time (p)) ? 2 : 1);
      if (is_time (p)) {
        g_string_append (out, value);
        continue;
      }
    }
    g_string_append_len (out, p, end - p);
  }
  return g_string_free (out, FALSE);
}

char **
sql_text_list (const char *text, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  if (!step_text_is_condition (text, error))
    return NULL;
  for (const char *p = text, *end = p;; p = ++end) {
    if (!take_expression (text, &end, TRUE, error))
      return NULL;
    g_ptr_array_add (items, g_strstrip (g_strndup (p, end - p)));
    if (*(char *)items->pdata[items->len - 1] == '\0') {
      error_fatal (error, items->len == 1 && *end == '\0' ? "the value is empty"
                                                          : "an item beside a comma is empty");
      return NULL;
    }
    if (*end == '\0')
      break;
  }
  g_ptr_array_add (items, NULL);
  g_ptr_array_set_free_func (items, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&items), FALSE);
}

/* --- names --- */

static void
skip_blanks (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
}

static gboolean
take_part (const char **at, GString *name, GError **error)
{
  const char *p = *at, *end = p;
  gboolean closed = FALSE;
  if (*p == '"' && quoted_at (p, p, &end, &closed) == QUOTED_NAME) {
    if (!closed || end == p + 2)
      return error_fatal (error, closed ? "an empty name" : "a quote (\") is not closed");
    g_string_append_len (name, p, end - p);
  } else if (begins_name (*p)) {
    end = p + quoted_name_length (p);
    g_autofree char *folded = g_ascii_strdown (p, end - p);
    g_string_append (name, folded);
  } else
    return error_fatal (error, *p != '\0' ? "no name at '%s'" : "a name is missing%s", p);
  *at = end;
  return TRUE;
}

char *
sql_text_name (const char **at, int parts, GError **error)
{
  g_autoptr (GString) name = g_string_new (NULL);
  for (skip_blanks (at); parts > 0; parts--) {
    if (!take_part (at, name, error))
      return NULL;
    skip_blanks (at);
    if (parts == 1 || **at != '.')
      break;
    g_string_append_c (name, '.');
    (*at)++;
    skip_blanks (at);
  }
  return g_strdup (name->str);
}

char *
sql_text_only_name (const char *text, int parts, GError **error)
{
  const char *at = text;
  g_autofree char *name = sql_text_name (&at, parts, error);
  if (name != NULL && *at != '\0') {
    error_fatal (error, "'%s' is not a name: unexpected '%s'", text, at);
    return NULL;
  }
  return g_steal_pointer (&name);
}

char **
sql_text_columns (const char *text, GError **error)
{
  g_auto (GStrv) items = sql_text_list (text, error);
  for (guint i = 0; items != NULL && items[i] != NULL; i++) {
    char *name = sql_text_only_name (items[i], 1, error);
    if (name == NULL)
      return NULL;
    g_free (items[i]);
    items[i] = name;
    for (guint j = 0; j < i; j++)
      if (g_str_equal (items[j], name)) {
        error_fatal (error, "the column %s twice", name);
        return NULL;
      }
  }
  return g_steal_pointer (&items);
}

gboolean
sql_text_skip_word (const char **at, const char *word)
{
  gsize len = strlen (word);
  skip_blanks (at);
  if (g_ascii_strncasecmp (*at, word, len) != 0 || quoted_is_name_char ((*at)[len]))
    return FALSE;
  *at += len;
  skip_blanks (at);
  return TRUE;
}

/* Whether a name and `=` stand at P. */
static gboolean
is_assignment (const char *p)
{
  g_autofree char *name = sql_text_name (&p, 1, NULL);
  return name != NULL && *p == '=';
}

/* How much deeper in brackets and CASE the text is behind P, which is LEN long. */
static int
deeper (const char *p, gsize len)
{
  if (*p == '(' || *p == '[' || (len == 4 && g_ascii_strncasecmp (p, "case", len) == 0))
    return 1;
  return *p == ')' || *p == ']' || (len == 3 && g_ascii_strncasecmp (p, "end", len) == 0) ? -1 : 0;
}

gboolean
sql_text_assigns_again (const char *text)
{
  int depth = 0;
  for (const char *p = text, *end; *p != '\0'; p = end) {
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + (quoted_is_name_char (*p) ? quoted_name_length (p) : 1);
    depth += deeper (p, end - p);
    if (depth == 0 && end == p + 3 && g_ascii_strncasecmp (p, "and", 3) == 0 && is_assignment (end))
      return TRUE;
  }
  return FALSE;
}

/* --- what an expression depends on --- */

/* What can stand before a bracket and reads no rows: words of SQL, types, and functions of
 * PostgreSQL that conditions often call. */
static const char *const PLAIN[] = {
  "all",          "and",          "any",       "array",      "as",       "between",  "bit",
  "btrim",        "by",           "case",      "cast",       "ceil",     "char",     "character",
  "coalesce",     "concat",       "date_part", "date_trunc", "decimal",  "distinct", "else",
  "end",          "extract",      "float",     "floor",      "from",     "greatest", "ilike",
  "in",           "interval",     "is",        "isnull",     "least",    "left",     "length",
  "like",         "lower",        "ltrim",     "make_date",  "mod",      "not",      "notnull",
  "now",          "nullif",       "numeric",   "or",         "overlaps", "position", "replace",
  "right",        "round",        "row",       "rtrim",      "similar",  "some",     "split_part",
  "strpos",       "substr",       "substring", "symmetric",  "then",     "time",     "timestamp",
  "to",           "to_char",      "to_date",   "trim",       "trunc",    "upper",    "varchar",
  "varying",      "when",         "abs",       "age",        "sign",     "ceiling",  "md5",
  "to_timestamp", "jsonb_typeof", NULL
};

/* The word WORD of code, of which END is behind it. IN_CATALOG: `pg_catalog.` stands before it. */
static gboolean
word_reads (const char *word, const char *end, gboolean in_catalog)
{
  if (g_str_equal (word, "select") || g_str_equal (word, "table"))
    return TRUE;
  while (g_ascii_isspace (*end))
    end++;
  return *end == '(' && !in_catalog && !g_strv_contains (PLAIN, word);
}

gboolean
sql_text_reads_rows (const char *text)
{
  gboolean in_catalog = FALSE;
  for (const char *p = text, *end; *p != '\0'; p = end) {
    Quoted quoted = quoted_at (text, p, &end, NULL);
    if (quoted == QUOTED_NOT && !begins_name (*p)) {
      in_catalog = in_catalog && *p == '.';
      end = p + 1;
      continue;
    }
    if (quoted == QUOTED_NOT)
      end = p + quoted_name_length (p);
    else if (quoted != QUOTED_NAME)
      continue;
    g_autofree char *word = g_ascii_strdown (p, end - p);
    if (word_reads (word, end, in_catalog))
      return TRUE;
    in_catalog = g_str_equal (word, "pg_catalog");
  }
  return FALSE;
}

void
sql_text_calls (const char *text, GString *schemas, GString *names)
{
  for (const char *p = text, *end; *p != '\0'; p = end) {
    Quoted quoted = quoted_at (text, p, &end, NULL);
    if (quoted == QUOTED_NOT)
      end = p + 1;
    if (quoted != QUOTED_NAME && (quoted != QUOTED_NOT || !begins_name (*p)))
      continue;
    const char *at = p;
    g_autofree char *name = sql_text_name (&at, 2, NULL);
    if (name == NULL)
      continue;
    end = at;
    if (*at != '(')
      continue;
    g_autofree char *schema = quoted_schema (name), *bare = quoted_bare (name);
    g_autofree char *bare_schema = schema != NULL ? quoted_bare (schema) : g_strdup ("");
    array_add (schemas, bare_schema);
    array_add (names, bare);
  }
}
