#include "engine/job/step_text.h"

#include "base/resource.h"
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

#define LASTS " would last until the session ends, and other jobs use it next: "
/* Functions whose effect lasts until the session ends. */
static const char *const LASTING[]
    = { "pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock",
        "pg_try_advisory_lock_shared", NULL };

#define ESCAPED "u&" /* U&"..", a name in which any character can be hidden */

/* P is at its quote. */
static gboolean
is_escaped (const char *text, const char *p)
{
  return p - text >= 2 && p[-1] == '&' && g_ascii_tolower (p[-2]) == 'u'
         && (p - text == 2 || !quoted_is_name_char (p[-3]));
}

static gboolean
is_called (const char *end)
{
  return end[strspn (end, " \t\r\n\f\v")] == '(';
}

/* The first word at P or behind it that is code, in lower case, or quoted name of a call, as it is,
 * or ESCAPED; "": there is none. *P is behind it, *AT where it begins. */
static char *
next_word (const char *text, const char **p, const char **at)
{
  const char *end;
  for (; **p != '\0'; *p = end) {
    Quoted quoted = quoted_at (text, *p, &end, NULL);
    if (quoted == QUOTED_NAME && is_called (end)) {
      g_autofree char *name = g_strndup (*p, end - *p);
      *at = *p;
      *p = end;
      return is_escaped (text, *at) ? g_strdup (ESCAPED) : quoted_bare (name);
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

/* The line of the N-th WORD of TEXT; 0: there are fewer. */
static int
line_of (const char *text, const char *word, guint n)
{
  const char *p = text, *at, *from = text;
  int line = 1;
  for (;;) {
    g_autofree char *found = next_word (text, &p, &at);
    if (*found == '\0')
      return 0;
    if (!g_str_equal (found, word) || --n > 0)
      continue;
    for (; from < at; from++)
      line += *from == '\n';
    return line;
  }
}

/* A word of TEXT that an included file has before the file's own is counted as the file's: the line
 * is right unless both have it. */
static gboolean
refuse (const char *path, const char *word, guint n, const char *why, GError **error)
{
  g_autofree char *own = resource_text (path, NULL);
  int line = own != NULL ? line_of (own, word, n) : 0;
  g_autofree char *place = line > 0 ? g_strdup_printf ("%s:%d", path, line) : g_strdup (path),
                  *shown = g_ascii_strup (word, -1);
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: %s%s", place,
               strchr (word, '_') != NULL ? word : shown, why);
  return FALSE;
}

static gboolean
is_statement_of_step (const char *path, const char *text, GError **error)
{
  const char *p = text, *at;
  g_autofree char *first = next_word (text, &p, &at), *second = next_word (text, &p, &at);
  if (!g_strv_contains (OTHERS, first)
      || (g_str_equal (first, "set") && g_strv_contains (OF_TRANSACTION, second)))
    return TRUE;
  return refuse (path, first, 1,
                 g_str_equal (first, "set") && !g_str_equal (second, "transaction")
                     ? LASTS "write SET LOCAL"
                     : " is no statement of a step: write SELECT, WITH, VALUES, TABLE, INSERT,"
                       " UPDATE, DELETE, MERGE, LOCK or SET LOCAL",
                 error);
}

/* Whether the last argument of the call that begins at P is `true`. */
static gboolean
is_local (const char *text, const char *p)
{
  const char *last = NULL, *end;
  int depth = 0;
  p += strspn (p, " \t\r\n");
  if (*p != '(')
    return TRUE; /* no call */
  for (; *p != '\0'; p = end) {
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + 1;
    depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    if (depth == 0)
      break;
    if (*p == ',' && depth == 1)
      last = end;
  }
  if (last == NULL || *p != ')')
    return FALSE;
  g_autofree char *argument = g_strstrip (g_strndup (last, (gsize)(p - last)));
  return g_ascii_strcasecmp (argument, "true") == 0;
}

/* The words behind FOR that lock the rows of a query. */
static gboolean
is_lock (const char *text, const char *p)
{
  const char *at;
  g_autofree char *first = next_word (text, &p, &at), *second = next_word (text, &p, &at);
  return g_str_equal (first, "update") || g_str_equal (first, "share")
         || (g_str_equal (first, "no") && g_str_equal (second, "key"))
         || (g_str_equal (first, "key") && g_str_equal (second, "share"));
}

gboolean
step_text_locks (const char *text)
{
  for (const char *p = text, *at; *p != '\0';) {
    g_autofree char *word = next_word (text, &p, &at);
    if (g_str_equal (word, "for") && is_lock (text, p))
      return TRUE;
  }
  return FALSE;
}

typedef struct {
  char *word; /* a function; g_free it */
  guint n;    /* which of its calls, from 1 */
  const char *why;
} Lasting;

/* The first call in TEXT whose effect lasts until the session ends. FALSE: there is none. */
static gboolean
find_lasting (const char *text, Lasting *found)
{
  guint settings = 0;
  for (const char *p = text, *at; *p != '\0';) {
    g_autofree char *word = next_word (text, &p, &at);
    if (g_strv_contains (LASTING, word)) {
      *found = (Lasting){ g_steal_pointer (&word), 1,
                          LASTS "write pg_advisory_xact_lock, or one of its kind" };
      return TRUE;
    }
    if (g_str_equal (word, ESCAPED)) {
      *found
          = (Lasting){ g_steal_pointer (&word), 1,
                       "\"..\" calls a function by a name with escapes: write the name plainly" };
      return TRUE;
    }
    if (!g_str_equal (word, "set_config"))
      continue;
    settings++;
    if (!is_local (text, p)) {
      *found = (Lasting){ g_steal_pointer (&word), settings,
                          LASTS "its third argument has to be `true`" };
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
calls_nothing_that_lasts (const char *path, const char *text, GError **error)
{
  Lasting found;
  if (!find_lasting (text, &found))
    return TRUE;
  g_autofree char *word = found.word;
  return refuse (path, word, found.n, found.why, error);
}

gboolean
step_text_lasts_not (const char *expression, GError **error)
{
  Lasting found;
  if (!find_lasting (expression, &found))
    return TRUE;
  g_autofree char *word = found.word;
  return error_fatal (error, "%s%s", word, found.why);
}

gboolean
step_text_fits (const char *path, const char *text, GError **error)
{
  return is_statement_of_step (path, text, error) && calls_nothing_that_lasts (path, text, error);
}
