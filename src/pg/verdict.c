#include "pg/verdict.h"

#include "pg/discreet.h"
#include "pg/statement.h"

#include <string.h>

static const struct {
  const char *prefix; /* of the SQLSTATE */
  PrunedVerdict verdict;
} VERDICTS[] = {
  { "40001", PRUNED_BUSY },
  { "40P01", PRUNED_BUSY },
  { "55P03", PRUNED_BUSY },
  { "57014", PRUNED_RETRY }, /* statement_timeout; our own cancel is BUSY, see below */
  { "57P", PRUNED_OUTAGE },
  { "08", PRUNED_OUTAGE },
  { "53400", PRUNED_RETRY }, /* a limit, as temp_file_limit: the step is to be smaller */
  { "53", PRUNED_OUTAGE },
  { "58030", PRUNED_OUTAGE }, /* input or output error of the server's disk */
  { "25006", PRUNED_OUTAGE },
  { "25P03", PRUNED_OUTAGE },
  { "25P02", PRUNED_OUTAGE },
  { "28", PRUNED_OUTAGE },
  { "3D", PRUNED_OUTAGE },
  { "42", PRUNED_RETRY }, /* something is missing: the engine sets `blocked` */
  { "3F", PRUNED_RETRY },
  { "26", PRUNED_OUTAGE }, /* a prepared statement is unknown: the pooler has switched to another
                              server */
};

/* Whether a table was altered, so that the session's prepared statements are outdated. Neither a
 * missing object nor a row is at fault. */
static gboolean
is_plan_outdated (const PGresult *result)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  /* `cached plan must not change result type`: the text is translated, so check the function */
  return g_strcmp0 (state, "0A000") == 0
         && g_strcmp0 (PQresultErrorField (result, PG_DIAG_SOURCE_FUNCTION),
                       "RevalidateCachedQuery")
                == 0;
}

gboolean
verdict_is_hidden (const PGresult *result)
{
  /* the text is translated */
  return g_strcmp0 (PQresultErrorField (result, PG_DIAG_SQLSTATE), "42501") == 0
         && g_strcmp0 (PQresultErrorField (result, PG_DIAG_SOURCE_FUNCTION), "check_enable_rls")
                == 0;
}

/* The reason with which a statement of ours fails (keys_off.sql): PostgreSQL has no function that
 * raises an error, so it is the name of a setting that does not exist. NULL: another error. */
static char *
refusal_of (const PGresult *result)
{
  static const char begin[] = "pruned refuses: ", end[] = " :pruned";
  const char *words = PQresultErrorField (result, PG_DIAG_MESSAGE_PRIMARY),
             *from = words != NULL ? strstr (words, begin) : NULL,
             *to = from != NULL ? strstr (from, end) : NULL;
  return to != NULL ? g_strndup (from + strlen (begin), to - from - strlen (begin)) : NULL;
}

/* Whether another session than ours has the prepared statements: a pooler is in between. */
static gboolean
is_pooled (const char *state)
{
  return g_str_equal (state, "26000") || g_str_equal (state, "42P05");
}

gboolean
verdict_is_of_session (const PGresult *result)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  g_autofree char *refusal = refusal_of (result);
  return is_plan_outdated (result) || (state != NULL && is_pooled (state))
         || (refusal != NULL && g_str_has_prefix (refusal, "session_"));
}

static PrunedVerdict
verdict_of (const char *state, gboolean cancelled)
{
  if (cancelled && strcmp (state, "57014") == 0)
    return PRUNED_BUSY;
  if (is_pooled (state))
    return PRUNED_OUTAGE;
  for (guint i = 0; i < G_N_ELEMENTS (VERDICTS); i++)
    if (g_str_has_prefix (state, VERDICTS[i].prefix))
      return VERDICTS[i].verdict;
  return *state == '\0' ? PRUNED_OUTAGE : PRUNED_DATA;
}

/* The line of the error's context that PostgreSQL adds for locks: `while deleting tuple (0,7) in
 * relation "members"`. It contains no value of a row. Other lines (texts of statements, invalid
 * values) can, and are left out. */
static char *
place_of (const PGresult *result)
{
  const char *context = PQresultErrorField (result, PG_DIAG_CONTEXT);
  const char *relation = NULL;
  g_auto (GStrv) lines = g_strsplit (context != NULL ? context : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL && relation == NULL; i++)
    if (g_regex_match_simple (
            "^[^'\"]*\\([0-9]+,[0-9]+\\)[^'\"]*[\"\u00ab\u00bb\u201e][^\"]+[\"\u00ab\u00bb\u201c]$",
            lines[i], 0, 0))
      relation = lines[i];
  return relation != NULL ? g_strdup (relation) : NULL;
}

/* The table that the statement was locking as a whole; PostgreSQL gives its position in the
 * text. */
static char *
table_at (const char *sql, const char *position)
{
  guint64 at = position != NULL ? g_ascii_strtoull (position, NULL, 10) : 0;
  if (sql == NULL || at == 0 || at > (guint64)g_utf8_strlen (sql, -1))
    return NULL;
  const char *from = g_utf8_offset_to_pointer (sql, (glong)at - 1);
  gsize len = strspn (from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.\"");
  return len > 0 ? g_strdup_printf ("while locking relation %.*s", (int)len, from) : NULL;
}

PgLock
verdict_lock (const PGresult *result, const PgStatement *statement)
{
  const char *position = PQresultErrorField (result, PG_DIAG_STATEMENT_POSITION);
  if (g_strcmp0 (PQresultErrorField (result, PG_DIAG_SQLSTATE), "55P03") != 0)
    return PG_LOCK_NONE;
  g_autofree char *row = place_of (result),
                  *table = table_at (statement != NULL ? statement->sql : NULL, position);
  return row != NULL ? PG_LOCK_ROW : table != NULL ? PG_LOCK_TABLE : PG_LOCK_UNPLACED;
}

static gboolean
is_refused_write (const char *state, const PgStatement *statement)
{
  return statement != NULL && statement->reads && g_str_equal (state, "25006");
}

static gboolean
is_conflict (const char *state)
{
  return g_str_equal (state, "55P03") || g_str_has_prefix (state, "40");
}

/* Adds where the error happened, for errors that are fixed at that place. */
static void
add_place (GString *text, const PGresult *result, const char *state, const PgStatement *statement)
{
  const char *position = PQresultErrorField (result, PG_DIAG_STATEMENT_POSITION);
  gboolean wrong = g_str_has_prefix (state, "42") || g_str_has_prefix (state, "22");
  if (is_conflict (state)) {
    g_autofree char *place = place_of (result);
    if (place == NULL)
      place = table_at (statement != NULL ? statement->sql : NULL, position);
    if (place != NULL)
      g_string_append_printf (text, " (%s)", place);
  }
  g_string_append_printf (text, " [%s]", state);
  if (statement != NULL && (wrong || is_conflict (state) || is_refused_write (state, statement)))
    g_string_append_printf (text, " in %s", statement->name);
  if (is_refused_write (state, statement))
    g_string_append (text, ": a statement that finds or decides must not change rows, nor must a"
                           " function that it calls");
  else if (g_str_equal (state, "25006"))
    g_string_append (text, ": the server is a standby, or default_transaction_read_only is on for "
                           "this role or database; `pruned doctor` says what to do");
  if (statement != NULL && wrong && position != NULL)
    g_string_append_printf (text, " at character %s", position);
  if (is_plan_outdated (result))
    g_string_append (text, ": a table was altered; the connection will be replaced");
  if (verdict_is_hidden (result))
    g_string_append (text, ": row-level security can hide rows from this role: give it BYPASSRLS");
  if (is_pooled (state))
    g_string_append (
        text,
        ": the connection goes through a pooler in transaction mode; set [postgres] prepare = off");
}

void
verdict_set_error (const PGresult *result, const PgStatement *statement, gboolean cancelled,
                   GError **error)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  g_autofree char *refusal = refusal_of (result);
  if (refusal != NULL) {
    g_set_error_literal (error, PRUNED_ERROR, PRUNED_RETRY, refusal);
    return;
  }
  g_autofree char *words = discreet_words (result);
  g_autoptr (GString) text = g_string_new (words);
  if (state != NULL)
    add_place (text, result, state, statement);
  g_strchomp (text->str);
  PrunedVerdict verdict = is_plan_outdated (result) ? PRUNED_OUTAGE
                          : is_refused_write (state != NULL ? state : "", statement)
                              ? PRUNED_RETRY
                              : verdict_of (state != NULL ? state : "", cancelled);
  g_set_error_literal (error, PRUNED_ERROR, verdict, text->str);
}
