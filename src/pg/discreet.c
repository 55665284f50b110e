#include "pg/discreet.h"

#include <string.h>

static char *
replaced (const char *text, const char *pattern, const char *with)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_DOTALL, 0, NULL);
  g_assert (regex != NULL);
  char *out = g_regex_replace (regex, text, -1, 0, with, 0, NULL);
  return out != NULL ? out : g_strdup (""); /* text that is no UTF-8 */
}

/* By RAISE in a function's text, and so by somebody who wrote the words. */
static gboolean
is_raised (const PGresult *result)
{
  const char *context = PQresultErrorField (result, PG_DIAG_CONTEXT);
  if (context == NULL)
    return FALSE;
  g_autofree char *first = g_strndup (context, strcspn (context, "\n"));
  return g_str_has_suffix (first, " at RAISE");
}

/* `invalid input syntax for type integer: "..."`: from the first quote to the last, for values may
 * hold quotes. */
static char *
message_of (const PGresult *result, const char *state)
{
  const char *words = PQresultErrorField (result, PG_DIAG_MESSAGE_PRIMARY);
  if (words == NULL)
    words = PQresultErrorMessage (result);
  if (!g_str_has_prefix (state, "22") || is_raised (result))
    return g_strdup (words);
  g_autofree char *unquoted = replaced (words, "\".*\"", "\"...\"");
  return replaced (unquoted, "0x[0-9a-fA-F]+", "0x...");
}

/* `Key (a, b)=(1, 2) is not present in table "t".`: without the values. NULL: nothing of it may be
 * told. */
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
      || g_str_has_prefix (state, "53")) /* of processes and of the catalogue */
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
  GString *text = g_string_new (g_strchomp (message));
  if (detail != NULL)
    g_string_append_printf (text, " (%s)", detail);
  if (state != NULL && g_str_has_prefix (state, "23")) {
    add_name (text, result, PG_DIAG_CONSTRAINT_NAME, "constraint");
    add_name (text, result, PG_DIAG_TABLE_NAME, "table");
    add_name (text, result, PG_DIAG_COLUMN_NAME, "column");
  }
  return g_string_free (text, FALSE);
}

/* A password with an @ or a blank in it ends too early for libpq, which then quotes the rest of it.
 */
char *
discreet_connection (const char *url, const PGconn *conn, const char *words)
{
  PQconninfoOption *parts = strstr (url, "=") != NULL || strstr (url, "://") != NULL
                                ? PQconninfoParse (url, NULL)
                                : NULL;
  const char *host = conn != NULL ? PQhost (conn) : NULL;
  gboolean read = parts != NULL || (strstr (url, "=") == NULL && strstr (url, "://") == NULL);
  PQconninfoFree (parts);
  if (read && (host == NULL || strchr (host, '@') == NULL))
    return g_strdup (words);
  return g_strdup (
      "postgres.url is not what libpq takes (it is not shown: it may hold a password); write %40 for @, %2F for / and "
      "%25 for % in a password of a URI, and quotes round one with blanks in key=value pairs");
}
