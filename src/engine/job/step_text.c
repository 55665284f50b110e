#include "engine/job/step_text.h"

#include "base/resource.h"
#include "engine/job/step_calls.h"
#include "engine/job/step_words.h"
#include "pg/quoted.h"

#include <string.h>

/* The first words of all other statements. What is none is PostgreSQL's to refuse. */
static const char *const OTHERS[]
    = { "abort",    "alter",    "analyse",   "analyze",  "begin",   "call",    "checkpoint",
        "close",    "cluster",  "comment",   "commit",   "copy",    "create",  "deallocate",
        "declare",  "discard",  "do",        "drop",     "end",     "execute", "explain",
        "fetch",    "grant",    "import",    "listen",   "load",    "move",    "notify",
        "prepare",  "reassign", "refresh",   "reindex",  "release", "repack",  "reset",
        "revoke",   "rollback", "savepoint", "security", "set",     "show",    "start",
        "truncate", "unlisten", "vacuum",    "wait",     NULL };
static const char *const OF_TRANSACTION[] = { "local", "constraints", NULL };

/* A word of TEXT that an included file has before the file's own is counted as the file's: the line
 * is right unless both have it. */
static gboolean
refuse (const char *path, const char *word, guint n, const char *why, GError **error)
{
  g_autofree char *own = resource_text (path, NULL);
  int line = own != NULL ? step_words_line (own, word, n) : 0;
  g_autofree char *place = line > 0 ? g_strdup_printf ("%s:%d", path, line) : g_strdup (path),
                  *shown = g_ascii_strup (word, -1);
  return error_fatal (error, "%s: %s%s", place, strchr (word, '_') != NULL ? word : shown, why);
}

static gboolean
is_statement_of_step (const char *path, const char *text, GError **error)
{
  const char *p = text, *at;
  g_autofree char *first = step_word (text, &p, &at), *second = step_word (text, &p, &at);
  if (!g_strv_contains (OTHERS, first)
      || (g_str_equal (first, "set") && g_strv_contains (OF_TRANSACTION, second)))
    return TRUE;
  return refuse (path, first, 1,
                 g_str_equal (first, "set") && !g_str_equal (second, "transaction")
                     ? STEP_CALLS_LASTS "write SET LOCAL"
                     : " is no statement of a step: write SELECT, WITH, VALUES, TABLE, INSERT,"
                       " UPDATE, DELETE, MERGE, LOCK or SET LOCAL",
                 error);
}

/* The words behind FOR that lock the rows of a query. */
static gboolean
is_lock (const char *text, const char *p)
{
  const char *at;
  g_autofree char *first = step_word (text, &p, &at), *second = step_word (text, &p, &at);
  return g_str_equal (first, "update") || g_str_equal (first, "share")
         || (g_str_equal (first, "no") && g_str_equal (second, "key"))
         || (g_str_equal (first, "key") && g_str_equal (second, "share"));
}

/* Whether FOR of `substring (x FOR y)` or `overlay` stands in the bracket that is open last. Each
 * open bracket is one character of OPEN. */
static gboolean
is_argument (const GString *open)
{
  return open->len > 0 && open->str[open->len - 1] == 's';
}

/* The brackets of TEXT from FROM to TO. BEHIND: FROM is right behind the word `substring` or
 * `overlay`. */
static void
take_brackets (const char *text, const char *from, const char *to, gboolean behind, GString *open)
{
  const char *first = step_words_behind_blanks (text, from);
  for (const char *p = from, *end; p < to; p = end) {
    end = p + 1;
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + 1;
    if (*p == '(')
      g_string_append_c (open, behind && p == first ? 's' : '(');
    else if (*p == ')' && open->len > 0)
      g_string_truncate (open, open->len - 1);
  }
}

gboolean
step_text_locks (const char *text)
{
  static const char *const calls[] = { "substring", "overlay", NULL };
  static const char *const queries[] = { "select", "values", "table", "with", NULL };
  g_autoptr (GString) open = g_string_new (NULL);
  gboolean behind = FALSE;
  for (const char *p = text, *from = text, *at; *p != '\0'; from = p) {
    g_autofree char *word = step_word (text, &p, &at);
    take_brackets (text, from, at, behind, open);
    if (g_str_equal (word, "for") && !is_argument (open) && is_lock (text, p))
      return TRUE;
    if (is_argument (open) && g_strv_contains (queries, word))
      open->str[open->len - 1] = '(';
    behind = *at != '"' && g_strv_contains (calls, word);
  }
  return FALSE;
}

static gboolean
sets_and_calls_nothing (const char *path, const char *text, GError **error)
{
  StepCall found;
  if (!step_calls_find_set (text, &found) && !step_calls_find (text, &found))
    return TRUE;
  refuse (path, found.word, found.n, found.why, error);
  step_call_clear (&found);
  return FALSE;
}

gboolean
step_text_is_condition (const char *expression, GError **error)
{
  StepCall found;
  if (step_text_locks (expression))
    return error_fatal (error, "FOR UPDATE, SHARE or one of their kind: a condition locks no rows");
  if (!step_calls_find (expression, &found))
    return TRUE;
  error_fatal (error, "%s%s", found.word, found.why);
  step_call_clear (&found);
  return FALSE;
}

/* A comment that is open would take what the engine adds behind the text. */
static gboolean
is_closed (const char *path, const char *text, GError **error)
{
  const int line = quoted_open_line (text);
  if (line > 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "%s:%d: a quote or a comment begins here and is not closed", path, line);
  return line == 0;
}

gboolean
step_text_fits (const char *path, const char *text, GError **error)
{
  return is_closed (path, text, error) && is_statement_of_step (path, text, error)
         && sets_and_calls_nothing (path, text, error);
}

/* --- what a file of apply/ does --- */

/* The verb of a statement whose rows count: the first that stands in no bracket. A name of a common
 * table expression can be such a word. *N: which of these words of TEXT it is. "": there is none.
 */
static char *
main_verb (const char *text, guint *n)
{
  static const char *const verbs[]
      = { "select", "values", "table", "insert", "update", "delete", "merge", NULL };
  guint seen[G_N_ELEMENTS (verbs)] = { 0 };
  int depth = 0;
  for (const char *p = text, *at, *from = text; *p != '\0'; from = p) {
    g_autofree char *word = step_word (text, &p, &at);
    depth += step_words_depth (text, from, at);
    const char *next = step_words_behind_blanks (text, p);
    for (guint i = 0; verbs[i] != NULL; i++) {
      if (!g_str_equal (word, verbs[i]))
        continue;
      *n = ++seen[i];
      if (depth == 0 && !(i > 2 && (*next == '(' || g_ascii_strncasecmp (next, "as", 2) == 0)))
        return g_steal_pointer (&word);
    }
  }
  return g_strdup ("");
}

gboolean
step_text_does (const char *path, const char *text, gboolean updates, GError **error)
{
  guint n = 0;
  g_autofree char *verb = main_verb (text, &n);
  if (g_str_equal (verb, "delete") || (!updates && g_str_equal (verb, "update")))
    return refuse (path, verb, n,
                   updates ? " in a file that is named .update: name it without, or .delete"
                           : " in a file that is named .insert: what it changes is not recorded",
                   error);
  return TRUE;
}

gboolean
step_text_upserts (const char *text)
{
  gboolean after_do = FALSE;
  for (const char *p = text, *at; *p != '\0';) {
    g_autofree char *word = step_word (text, &p, &at);
    if (g_str_equal (word, "merge") || (after_do && g_str_equal (word, "update")))
      return TRUE;
    after_do = g_str_equal (word, "do");
  }
  return FALSE;
}
