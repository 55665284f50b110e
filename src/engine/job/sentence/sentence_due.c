#include "engine/job/sentence/sentence_due.h"

#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

#define HIDDEN '\001' /* of what stands in quotes or brackets */
#define NAMED '\002'  /* of a name in quotes */
#define PLAIN "[^\\s<>=():,.+*/'\"\\001\\002-]+"
#define NAME "(?:(?:" PLAIN "|\\002+)\\.)?(?<name>\\002+|" PLAIN ")"
#define AGE "(?:interval\\s*(?<age>\\001+)|(?<cast>\\001+)\\s*::\\s*interval)"

/* TEXT in which all but names, words and signs outside of brackets is hidden; as long as TEXT. */
static char *
code_of (const char *text)
{
  char *code = g_strdup (text);
  int depth = 0;
  for (const char *p = text, *end; *p != '\0'; p = end) {
    const Quoted quoted = quoted_at (text, p, &end, NULL);
    if (quoted == QUOTED_NOT) {
      end = p + 1;
      depth += *p == '(' || *p == '[';
    }
    if (depth > 0 || quoted != QUOTED_NOT)
      memset (code + (p - text), depth == 0 && quoted == QUOTED_NAME ? NAMED : HIDDEN,
              (gsize)(end - p));
    depth -= quoted == QUOTED_NOT && (*p == ')' || *p == ']');
  }
  return code;
}

/* What stands in TEXT, from FROM on, at the place of GROUP of MATCH. NULL: nothing. */
static char *
text_of (const GMatchInfo *match, const char *group, const char *text, gsize from)
{
  int start, end;
  return g_match_info_fetch_named_pos (match, group, &start, &end) && start >= 0
             ? g_strndup (text + from + start, (gsize)(end - start))
             : NULL;
}

/* A literal without its quotes; NULL: it is none of the plain form. */
static char *
literal_of (const char *text)
{
  const gsize n = strlen (text);
  return n > 2 && text[0] == '\'' && strchr (text + 1, '\'') == text + n - 1
             ? g_strndup (text + 1, n - 2)
             : NULL;
}

typedef struct {
  const char *text;
  Sentence *sentence;
  char *column, *age; /* NULL: none yet */
  gboolean several;
} Search;

/* AGE NULL: it is in another form. */
static void
note (Search *search, char *column, char *age)
{
  const char *said = search->sentence->due;
  const gboolean meant = column != NULL && (said == NULL || g_str_equal (said, column));
  search->several |= meant && (search->column != NULL || age == NULL);
  if (meant && search->column == NULL) {
    search->column = g_steal_pointer (&column);
    search->age = g_steal_pointer (&age);
  }
  g_free (column);
  g_free (age);
}

/* PART of the code, which begins at FROM. */
static void
look_at (Search *search, const char *part, gsize from)
{
  static const char *const forms[] = { "^\\s*" NAME "\\s*<=?\\s*:T\\s*(?:-\\s*" AGE ")?\\s*$",
                                       "^\\s*:T\\s*(?:-\\s*" AGE ")?\\s*>=?\\s*" NAME "\\s*$",
                                       "^\\s*" NAME "\\s*\\+\\s*" AGE "\\s*<=?\\s*:T\\s*$" };
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autoptr (GMatchInfo) match = NULL;
    g_autoptr (GRegex) regex = g_regex_new (forms[i], G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
    if (!g_regex_match (regex, part, 0, &match))
      continue;
    g_autofree char *name = text_of (match, "name", search->text, from),
                    *age = text_of (match, "age", search->text, from),
                    *cast = text_of (match, "cast", search->text, from);
    const char *said = age != NULL ? age : cast;
    char *literal = said != NULL ? literal_of (said) : g_strdup (DUE_AT_ONCE);
    note (search, sql_text_only_name (name, 1, NULL), literal);
    return;
  }
}

static void
look_at_all (Search *search, const char *code)
{
  g_autoptr (GRegex) word = g_regex_new ("\\b(or|case|not\\s+between|between)\\b",
                                         G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL),
                     and = g_regex_new ("\\band\\b", G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  int from = 0, start, end;
  if (g_regex_match (word, code, 0, NULL))
    return;
  for (g_regex_match (and, code, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    (void)g_match_info_fetch_pos (match, 0, &start, &end);
    g_autofree char *part = g_strndup (code + from, (gsize)(start - from));
    look_at (search, part, (gsize)from);
    from = end;
  }
  look_at (search, code + from, (gsize)from);
}

void
sentence_due_find (Sentence *sentence)
{
  if (sentence->where == NULL || sentence->due_age != NULL)
    return;
  g_autofree char *code = code_of (sentence->where);
  Search search = { .text = sentence->where, .sentence = sentence };
  look_at_all (&search, code);
  if (search.column != NULL && !search.several) {
    sentence->due_age = g_steal_pointer (&search.age);
    if (sentence->due == NULL)
      sentence->due_found = g_steal_pointer (&search.column);
  }
  g_free (search.column);
  g_free (search.age);
}
