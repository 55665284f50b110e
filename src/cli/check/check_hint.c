/* What a mistake was probably meant to be. */
#include "cli/check/check.h"

#include "config/nearest.h"
#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/check/sql/"
#define NO_COLUMN "42703"
#define NO_SYNTAX "42601"

/* The nearest of the names that ROWS have, as SQL writes it; NULL: none is near. */
static char *
nearest_of (const PgRows *rows, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (names, (gpointer)rows_text (rows, i, "name"));
  g_ptr_array_add (names, NULL);
  const char *meant = nearest_name (name, (const char *const *)names->pdata);
  for (int i = 0; meant != NULL && i < rows_count (rows); i++)
    if (g_str_equal (rows_text (rows, i, "name"), meant))
      return g_strdup (rows_text (rows, i, "quoted"));
  return NULL;
}

/* FILE returns `name` and `quoted`: of the columns of the job's table, or of tables. */
static char *
nearest_in (Check *check, const char *file, const char *name)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (check->cli->config, "postgres", "app_schema"));
  pg_values_set (values, "relation", check->job->table);
  g_autoptr (PgRows) rows
      = pg_begin_read_only (check->pg, NULL) ? pg_run_file (check->pg, file, values, NULL) : NULL;
  pg_rollback (check->pg);
  return rows != NULL ? nearest_of (rows, name) : NULL;
}

/* What stands in MESSAGE behind BEFORE, up to END; NULL: it is not there. */
static char *
part_of (const char *message, const char *before, const char *end)
{
  const char *at = strstr (message, before);
  const char *to = at != NULL ? strstr (at + strlen (before), end) : NULL;
  return to != NULL ? g_strndup (at + strlen (before), (gsize)(to - at) - strlen (before)) : NULL;
}

/* `"gone"` is a column; so is what the quotes of a word processor enclose. */
static gboolean
is_meant_as_text (const char *where, const char *name)
{
  static const char *const quotes[] = { "\u2018", "\u2019", "\u201c", "\u201d", "`" };
  g_autofree char *quoted = quoted_make (name);
  gboolean is = quoted[0] == '"' && strstr (where, quoted) != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (quotes); i++)
    is = is || strstr (name, quotes[i]) != NULL;
  return is;
}

static char *
hint_of_column (Check *check, const char *where, const char *message)
{
  g_autofree char *name = part_of (message, "column \"", "\" does not exist");
  if (name == NULL)
    name = part_of (message, "column ", " does not exist");
  if (name == NULL)
    return g_strdup ("");
  const char *dot = strrchr (name, '.');
  g_autofree char *meant = nearest_in (check, SQL "columns.sql", dot != NULL ? dot + 1 : name);
  if (meant != NULL)
    return g_strdup_printf (", did you mean %s?", meant);
  return g_strdup (is_meant_as_text (where, name) ? ": a text stands in single quotes, 'so'" : "");
}

char *
check_hint (Check *check, const char *where, const GError *cause)
{
  g_autofree char *state = g_strdup (pg_sqlstate (check->pg));
  if (g_str_equal (state, NO_COLUMN))
    return hint_of_column (check, where, cause->message);
  if (g_str_equal (state, NO_SYNTAX)
      && g_regex_match_simple ("[-+]\\s*\\d+\\s*(second|minute|hour|day|week|month|year)s?\\b",
                               where, G_REGEX_CASELESS, 0))
    return g_strdup (": an age is written interval '30 days'");
  if (g_str_equal (state, NO_SYNTAX)
      && g_regex_match_simple ("^\\s*where\\b", where, G_REGEX_CASELESS, 0))
    return g_strdup (": the value is the condition alone, without WHERE");
  return g_strdup ("");
}

char *
check_hint_table (Check *check, const char *why)
{
  static const char missing[] = "there is no table ";
  const char *at = strstr (why, missing);
  if (at == NULL)
    return g_strdup ("");
  g_autofree char *name = quoted_bare (at + strlen (missing)),
                  *meant = nearest_in (check, SQL "tables.sql", name);
  return meant != NULL ? g_strdup_printf (", did you mean %s?", meant) : g_strdup ("");
}
