#include "pg/discreet.h"

#include "base/cut.h"

#include <string.h>

static char *
replaced (const char *text, const char *pattern, const char *with)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_DOTALL, 0, NULL);
  g_assert (regex != NULL);
  char *out = g_regex_replace (regex, text, -1, 0, with, 0, NULL);
  return out != NULL ? out : g_strdup (""); /* not UTF-8 */
}

/* Whether RAISE in a function made the error, so that the function's author wrote its text. The
 * context says so, too, but translated. */
static gboolean
is_raised (const PGresult *result)
{
  return g_strcmp0 (PQresultErrorField (result, PG_DIAG_SOURCE_FUNCTION), "exec_stmt_raise") == 0;
}

char *
discreet_unquoted (const char *message)
{
  g_autofree char *unquoted = replaced (
      message, "[\"\u00ab\u00bb\u201c-\u201f].*[\"\u00ab\u00bb\u201c-\u201f]", "\"...\"");
  g_autofree char *undated = replaced (unquoted, ": -?[0-9]+[-:][-0-9:.]*$", ": ...");
  return replaced (undated, "0x[0-9a-fA-F]+", "0x...");
}

static char *
message_of (const PGresult *result, const char *state)
{
  const char *words = PQresultErrorField (result, PG_DIAG_MESSAGE_PRIMARY);
  if (words == NULL)
    words = PQresultErrorMessage (result);
  return g_str_has_prefix (state, "22") && !is_raised (result) ? discreet_unquoted (words)
                                                               : g_strdup (words);
}

/* `Key (a, b)=(1, 2) is not present in table "t".`: cuts the values. NULL: no part of the detail is
 * safe to show. */
static char *
detail_of (const PGresult *result, const char *state)
{
  static const char key[]
      = "^(Key \\(.*?\\))=\\(.*\\)( already exists| is duplicated| conflicts with existing key"
        "| is (?:still referenced from|not present in) table \"[^\"]*\")\\.?$";
  const char *detail = PQresultErrorField (result, PG_DIAG_MESSAGE_DETAIL);
  if (detail == NULL || is_raised (result))
    return NULL;
  if (g_str_equal (state, "40P01") || g_str_has_prefix (state, "42")
      || g_str_has_prefix (
          state, "53")) /* these details name processes and catalogue objects, not values */
    return g_strdup (detail);
  if (!g_str_has_prefix (state, "23"))
    return NULL;
  g_autofree char *plain = replaced (detail, "( conflicts with existing key) .*$", "\\1.");
  g_autoptr (GRegex) regex = g_regex_new (key, G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  if (!g_regex_match (regex, plain, 0, &match))
    return NULL;
  g_autofree char *columns = g_match_info_fetch (match, 1), *rest = g_match_info_fetch (match, 2);
  return g_strconcat (columns, rest, NULL);
}

static void
add_name (GString *text, const PGresult *result, int field, const char *what)
{
  const char *name = PQresultErrorField (result, field);
  if (name == NULL || strstr (text->str, name) != NULL)
    return;
  g_string_append_printf (text, ", %s %s", what, name);
}

char *
discreet_words (const PGresult *result)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  g_autofree char *message = message_of (result, state != NULL ? state : "");
  g_autofree char *detail = detail_of (result, state != NULL ? state : "");
  g_autoptr (GString) text = g_string_new (g_strchomp (message));
  if (detail != NULL)
    g_string_append_printf (text, " (%s)", detail);
  if (state != NULL && g_str_has_prefix (state, "23")) {
    add_name (text, result, PG_DIAG_CONSTRAINT_NAME, "constraint");
    add_name (text, result, PG_DIAG_TABLE_NAME, "table");
    add_name (text, result, PG_DIAG_COLUMN_NAME, "column");
  }
  return cut_text (text->str, CUT_ERROR_BYTES);
}

/* Whether libpq can read URL; what it takes for a port can be a password. */
static gboolean
is_readable (const char *url)
{
  if (strstr (url, "=") == NULL && strstr (url, "://") == NULL) /* the name of a database */
    return strpbrk (url, ":@") == NULL;
  PQconninfoOption *parts = PQconninfoParse (url, NULL);
  gboolean read = parts != NULL;
  for (PQconninfoOption *part = parts; part != NULL && part->keyword != NULL; part++)
    if (g_str_equal (part->keyword, "port") && part->val != NULL)
      read = part->val[strspn (part->val, "0123456789,")] == '\0';
  PQconninfoFree (parts);
  return read;
}

/* A password with an @ or a blank misleads libpq: it ends the password there, and quotes the rest
 * in its error.
 */
char *
discreet_connection (const char *url, const PGconn *conn, const char *words)
{
  const char *host = conn != NULL ? PQhost (conn) : NULL;
  if (is_readable (url) && (host == NULL || strchr (host, '@') == NULL))
    return g_strdup (words);
  return g_strdup (
      "libpq cannot parse postgres.url (it is not shown: it can contain a password); write %40 for @, %2F for / and "
      "%25 for % in a password of a URI, and quotes round one with blanks in key=value pairs");
}
