/* What PostgreSQL says of a statement without running it. */
#include "pg/pg_private.h"
#include "pg/statement.h"

#include <string.h>

#define PREPARE "PREPARE pruned_explained AS "

/* The line of the text that has the character AT (from 1). */
static int
line_of (const PgStatement *statement, int at)
{
  int line = 1 + statement->lines_before;
  const char *p = statement->sql;
  for (int i = 1; i < at && *p != '\0'; i++, p = g_utf8_next_char (p))
    line += *p == '\n';
  return line;
}

/* EXPLAIN of the prepared statement, with NULL for each parameter. */
static const PgStatement *
asked_of (const PgStatement *statement, GError **error)
{
  g_autoptr (GString) nulls = g_string_new (NULL);
  for (guint i = 0; i < statement->n_parameters; i++)
    g_string_append (nulls, i == 0 ? "(NULL" : ", NULL");
  g_string_append (nulls, nulls->len > 0 ? ")" : "");
  g_autofree char *text
      = g_strdup_printf ("EXPLAIN (FORMAT JSON, VERBOSE) EXECUTE pruned_explained%s", nulls->str);
  return pg_statement_anew (text, text, error);
}

/* A `SET` has no plan, and cannot be prepared. */
static gboolean
has_plan (const PgStatement *statement)
{
  return !g_str_has_prefix (statement->sql, "SET ");
}

static gboolean
queue (Pg *pg, const PgStatement *statement, GError **error)
{
  g_autofree char *prepare = g_strconcat (PREPARE, statement->sql, NULL);
  const PgStatement *asked = asked_of (statement, error);
  return asked != NULL && pg_exec_later (pg, prepare, error) && pg_queue (pg, asked, NULL, error)
         && pg_exec_later (pg, "DEALLOCATE pruned_explained", error);
}

/* In one pipeline. */
static char **
explain (Pg *pg, const PgStatement *const *statements, guint n, GError **error)
{
  g_auto (GStrv) plans = g_new0 (char *, n + 1);
  gboolean ok = pg_exec_later (pg, "SET LOCAL plan_cache_mode = force_generic_plan", error);
  for (guint i = 0; ok && i < n; i++)
    ok = !has_plan (statements[i]) || queue (pg, statements[i], error);
  if (!ok || !pg_flush (pg, error))
    return NULL;
  for (guint i = 0; i < n; i++) {
    g_autoptr (PgRows) rows = has_plan (statements[i]) ? pg_next (pg, error) : NULL;
    if (rows == NULL && has_plan (statements[i]))
      return NULL;
    plans[i] = g_strdup (rows != NULL ? rows_at (rows, 0, 0) : "[]");
  }
  return pg_finish (pg, error) ? g_steal_pointer (&plans) : NULL;
}

char **
pg_explain_all (Pg *pg, const PgStatement *const *statements, guint n, GError **error)
{
  char **plans = explain (pg, statements, n, error);
  if (plans == NULL)
    pg_close (pg); /* a statement stays prepared after a rollback */
  return plans;
}

char *
pg_explain (Pg *pg, const PgStatement *statement, int *line, GError **error)
{
  *line = 0;
  pg->position = 0;
  g_auto (GStrv) plans = explain (pg, &statement, 1, error);
  if (plans != NULL)
    return g_strdup (plans[0]);
  if (pg->position > (int)strlen (PREPARE)) /* it could not be prepared */
    *line = line_of (statement, pg->position - (int)strlen (PREPARE));
  else
    pg_close (pg); /* a statement stays prepared after a rollback */
  return NULL;
}

PgRows *
pg_describe (Pg *pg, const PgStatement *statement, GError **error)
{
  if (!pg_send_describe (pg, statement, error) || !pg_flush (pg, error))
    return NULL;
  g_autoptr (PgRows) rows = pg_next (pg, error);
  return rows != NULL && pg_finish (pg, error) ? g_steal_pointer (&rows) : NULL;
}

char **
pg_columns (Pg *pg, const PgStatement *statement, GError **error)
{
  g_autoptr (PgRows) rows = pg_describe (pg, statement, error);
  if (rows == NULL)
    return NULL;
  char **names = g_new0 (char *, (gsize)rows_columns (rows) + 1);
  for (int i = 0; i < rows_columns (rows); i++)
    names[i] = g_strdup (rows_name (rows, i));
  return names;
}
