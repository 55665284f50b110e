#include "engine/job/step_calls.h"

#include "engine/job/step_words.h"
#include "engine/job/step_zone.h"
#include "pg/quoted.h"

#include <string.h>

#define NO_CONCERN                                                                                 \
  ": this setting says what names mean, or the engine relies on it; the files of a job leave it "  \
  "as it is"

/* Functions whose effect lasts until the session ends. */
static const char *const LASTING[]
    = { "pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock",
        "pg_try_advisory_lock_shared", NULL };
static const char *const ENDING[] = { "pg_terminate_backend", "pg_cancel_backend", NULL };
/* Those that each transaction sets (src/pg/send.c), and those by which a transaction would read
 * only, see or write other rows, wait otherwise, or not be counted. */
static const char *const SETTINGS[] = { "application_name",
                                        "array_nulls",
                                        "bytea_output",
                                        "client_encoding",
                                        "datestyle",
                                        "default_transaction_deferrable",
                                        "default_transaction_isolation",
                                        "default_transaction_read_only",
                                        "extra_float_digits",
                                        "gin_fuzzy_search_limit",
                                        "idle_in_transaction_session_timeout",
                                        "idle_session_timeout",
                                        "intervalstyle",
                                        "jit",
                                        "lock_timeout",
                                        "pruned.settings",
                                        "quote_all_identifiers",
                                        "role",
                                        "row_security",
                                        "search_path",
                                        "session_authorization",
                                        "session_replication_role",
                                        "standard_conforming_strings",
                                        "statement_timeout",
                                        "synchronous_commit",
                                        "timezone",
                                        "track_counts",
                                        "transaction_deferrable",
                                        "transaction_isolation",
                                        "transaction_read_only",
                                        "transaction_timeout",
                                        "transform_null_equals",
                                        NULL };
#define OF_AUDIT "pruned.secret_" /* job_files_audit.c */

/* PostgreSQL knows settings in any case. NAME is in lower case. */
static gboolean
is_relied_upon (const char *name)
{
  return g_strv_contains (SETTINGS, name) || g_str_has_prefix (name, OF_AUDIT);
}

/* --- SET LOCAL --- */

/* One part of a name at *P, with what blanks and comments are behind it; NULL: none stands there,
 * or one with escapes. */
static char *
take_part (const char *text, const char **p)
{
  const char *at = *p, *end = at;
  if (*at == '"' && quoted_at (text, at, &end, NULL) == QUOTED_NAME) {
    g_autofree char *name = g_strndup (at, end - at), *bare = quoted_bare (name);
    *p = step_words_behind_blanks (text, end);
    return g_ascii_strdown (bare, -1);
  }
  gsize len = quoted_name_length (at);
  if (len == 0 || (at[len] == '&' && at[len + 1] == '"'))
    return NULL;
  *p = step_words_behind_blanks (text, at + len);
  return g_ascii_strdown (at, len);
}

/* What a word behind SET LOCAL sets, if it is no name of a setting. */
static const char *
meant_by (const char *word)
{
  static const char *const meant[][2] = { { "time", "timezone" },
                                          { "schema", "search_path" },
                                          { "names", "client_encoding" },
                                          { "session", "session_authorization" },
                                          { "transaction", "transaction_isolation" } };
  for (guint i = 0; i < G_N_ELEMENTS (meant); i++)
    if (g_str_equal (word, meant[i][0]))
      return meant[i][1];
  return word;
}

/* The name of a setting at P; NULL: it cannot be told. */
static char *
setting_at (const char *text, const char *p)
{
  const gboolean quoted = *p == '"';
  g_autoptr (GString) name = g_string_new (NULL);
  for (;; p = step_words_behind_blanks (text, p + 1)) {
    g_autofree char *part = take_part (text, &p);
    if (part == NULL)
      return NULL;
    g_string_append (name, part);
    if (*p != '.')
      break;
    g_string_append_c (name, '.');
  }
  return g_strdup (quoted ? name->str : meant_by (name->str));
}

gboolean
step_calls_find_set (const char *text, StepCall *found)
{
  const char *p = text, *at;
  g_autofree char *first = step_word (text, &p, &at), *second = step_word (text, &p, &at);
  if (!g_str_equal (first, "set") || !g_str_equal (second, "local"))
    return FALSE;
  g_autofree char *name = setting_at (text, step_words_behind_blanks (text, p));
  if (name != NULL && !is_relied_upon (name))
    return FALSE;
  *found = (StepCall){ g_steal_pointer (&first), 1,
                       name != NULL
                           ? g_strconcat (" LOCAL ", name, NO_CONCERN, NULL)
                           : g_strdup (" LOCAL of a name with escapes: write the name plainly") };
  return TRUE;
}

/* --- calls --- */

/* Whether the last argument of the call whose bracket is at P is `true`. */
static gboolean
is_local (const char *text, const char *p)
{
  const char *last = NULL, *end;
  int depth = 0;
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

/* The literal that is the first argument of the call whose bracket is at P, in lower case; NULL:
 * the argument is something else. */
static char *
first_literal (const char *text, const char *p)
{
  const char *end;
  gboolean closed;
  p += 1 + strspn (p + 1, " \t\r\n\f\v");
  if (*p != '\'' || quoted_at (text, p, &end, &closed) != QUOTED_LITERAL || !closed
      || end[strspn (end, " \t\r\n\f\v")] != ',')
    return NULL;
  return g_ascii_strdown (p + 1, end - p - 2);
}

/* What is wrong with the call of set_config whose name ends at P; NULL: nothing. */
static char *
wrong_with_setting (const char *text, const char *p)
{
  p = step_words_behind_blanks (text, p);
  if (*p != '(')
    return NULL;
  if (!is_local (text, p))
    return g_strdup (STEP_CALLS_LASTS "its third argument has to be `true`");
  g_autofree char *name = first_literal (text, p);
  if (name == NULL)
    return g_strdup (" of a setting that is not named by a plain literal, like 'work_mem'");
  return is_relied_upon (name) ? g_strconcat (" of ", name, NO_CONCERN, NULL) : NULL;
}

/* Whether the word UPDATE that ends at P is one of the view of settings, whose rule sets them for
 * the session. */
static gboolean
updates_settings (const char *text, const char *p)
{
  p = step_words_behind_blanks (text, p);
  const char *only = p;
  g_autofree char *part = take_part (text, &p), *next = NULL;
  if (g_strcmp0 (part, "only") == 0 && *only != '"') {
    p = step_words_behind_blanks (text, p + (*p == '('));
    next = take_part (text, &p);
  }
  while (*p == '.') {
    p = step_words_behind_blanks (text, p + 1);
    g_free (next);
    next = take_part (text, &p);
  }
  return g_strcmp0 (next != NULL ? next : part, "pg_settings") == 0;
}

/* What is wrong with WORD, which ends at P; NULL: nothing. */
static char *
wrong_with (const char *text, const char *word, const char *p)
{
  if (g_strv_contains (LASTING, word))
    return g_strdup (STEP_CALLS_LASTS "write pg_advisory_xact_lock, or one of its kind");
  if (g_strv_contains (ENDING, word))
    return g_strdup (" ends the work of a session: no step does that");
  if (g_str_equal (word, STEP_WORD_ESCAPED))
    return g_strdup ("\"..\" calls a function by a name with escapes: write the name plainly");
  if (g_str_equal (word, "update") && updates_settings (text, p))
    return g_strdup (" of pg_settings" STEP_CALLS_LASTS "write SET LOCAL");
  return g_str_equal (word, "set_config") ? wrong_with_setting (text, p)
                                          : step_zone_wrong (text, word, p);
}

/* How many words WORD TEXT has up to END. */
static guint
count_until (const char *text, const char *word, const char *end)
{
  guint n = 0;
  for (const char *p = text, *at; p < end;) {
    g_autofree char *one = step_word (text, &p, &at);
    n += g_str_equal (one, word);
  }
  return n;
}

gboolean
step_calls_find (const char *text, StepCall *found)
{
  for (const char *p = text, *at; *p != '\0';) {
    g_autofree char *word = step_word (text, &p, &at);
    char *why = wrong_with (text, word, p);
    if (why == NULL)
      continue;
    guint n = count_until (text, word, p);
    *found = (StepCall){ g_steal_pointer (&word), n, why };
    return TRUE;
  }
  char *zone, *why = step_zone_wrong_in_time (text, &zone);
  if (why != NULL)
    *found = (StepCall){ zone, 1, why };
  return why != NULL;
}

void
step_call_clear (StepCall *found)
{
  g_clear_pointer (&found->word, g_free);
  g_clear_pointer (&found->why, g_free);
}
