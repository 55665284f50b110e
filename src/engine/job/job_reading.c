#include "engine/job/job_reading.h"

#include "engine/job/step_text.h"

const PgStatement *
job_reading (const char *name, const char *text, gboolean anew, GError **error)
{
  const gboolean own = name[0] == '/' || name[0] == '[';
  if (own && !step_text_locks (text))
    return pg_statement_reading (name, text, anew, error);
  return anew ? pg_statement_anew (name, text, error) : pg_statement_text (name, text, error);
}

/* --- a part of a page --- */

/* Whether the row `p` lies behind the key `until`. */
static char *
behind (const Job *job)
{
  char *rest = NULL;
  for (guint i = job->cursor->len; i-- > 0;) {
    const JobCursor *column = &g_array_index (job->cursor, JobCursor, i);
    g_autofree char *inner = rest,
                    *end = g_strdup_printf (":until.%s::%s", column->name, column->type);
    const char *sign = column->greater != NULL ? column->greater
                       : column->descending    ? "<"
                                               : ">",
               *equal = column->equal != NULL ? column->equal : "=";
    rest = inner == NULL
               ? g_strdup_printf ("p.\"%s\" %s %s", column->name, sign, end)
               : g_strdup_printf ("p.\"%s\" %s %s OR (p.\"%s\" %s %s AND (%s))", column->name, sign,
                                  end, column->name, equal, end, inner);
  }
  return rest;
}

/* Where the order of a row and the end cannot be known (NULL), the row is of the range. */
static char *
until_text (const Job *job, const char *page)
{
  g_autofree char *is_behind = behind (job);
  return g_strdup_printf ("SELECT p.* FROM (\n%s\n) AS p WHERE (%s) IS NOT TRUE", page, is_behind);
}

/* The last row of each range, and how many rows there are in all. */
static char *
split_text (const Job *job, const char *page)
{
  g_autoptr (GString) columns = g_string_new (NULL);
  for (guint i = 0; i < job->cursor->len; i++)
    g_string_append_printf (columns, "p.\"%s\", ", g_array_index (job->cursor, JobCursor, i).name);
  return g_strdup_printf (
      "WITH pruned_rows AS MATERIALIZED (\n"
      "SELECT %spg_catalog.row_number() OVER () AS pruned_n FROM (\n%s\n) AS p),\n"
      "pruned_all AS MATERIALIZED (SELECT pg_catalog.count(*) AS n FROM pruned_rows)\n"
      "SELECT a.n AS pruned_total, r.*\n"
      "FROM pruned_all a JOIN pruned_rows r ON r.pruned_n = ANY (ARRAY(\n"
      "  SELECT b.n * i / :ranges::int FROM pruned_all b, pg_catalog.generate_series(1, "
      ":ranges::int) AS i))\n"
      "ORDER BY r.pruned_n",
      columns->str, page);
}

static const PgStatement *
statement (const char *name, const char *suffix, const char *sql, gboolean anew, GError **error)
{
  g_autofree char *full = g_strconcat (name, suffix, NULL);
  return job_reading (full, sql, anew, error);
}

gboolean
job_reading_divide (Job *job, const char *name, const char *page, gboolean anew, GError **error)
{
  if (job->cursor->len == 0)
    return TRUE;
  g_autofree char *until = until_text (job, page), *split = split_text (job, page);
  return (job->page_until = statement (name, "#until", until, anew, error)) != NULL
         && (job->page_split = statement (name, "#split", split, anew, error)) != NULL;
}
