/* Whether a folder of one's own is about tables that exist, about rows of its own table, and asks
 * for as many rows as a page has. */
#include "cli/check/check.h"

#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/check/sql/"

/* Names that are asked for together, and whose they are. */
typedef struct {
  GString *relations, *columns;
  GPtrArray *whose; /* of char, borrowed */
} Asked;

static gboolean
is_own_folder (const Job *job)
{
  return !job->built_in && job->sentence == NULL && !job_is_coded (job);
}

static Asked
asked_new (void)
{
  return (Asked){ array_new (), array_new (), g_ptr_array_new () };
}

static void
ask_for (Asked *asked, const char *relation, const char *column, const char *whose)
{
  array_add (asked->relations, relation);
  array_add (asked->columns, column);
  g_ptr_array_add (asked->whose, (gpointer)whose);
}

/* What of ASKED, which is freed, does not exist. NULL: it could not be asked. */
static PgRows *
missing (Check *check, const char *name, Asked *asked)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "relation", array_take (asked->relations));
  pg_values_take (values, "name", array_take (asked->columns));
  return check_ask (check, name, SQL "missing.sql", values);
}

static const char *
whose_at (const Asked *asked, const PgRows *rows, int row)
{
  return asked->whose->pdata[rows_int (rows, row, "row")];
}

static void
check_tables_exist (Check *check)
{
  const Job *job = check->job;
  Asked asked = asked_new ();
  if (job->table != NULL)
    ask_for (&asked, job->table, "", job->table);
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const char *table = g_array_index (apply, JobApply, k).table;
      if (g_strcmp0 (table, job->table) != 0)
        ask_for (&asked, table, "", table);
    }
  }
  g_autoptr (PgRows) rows = missing (check, "form", &asked);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *table = whose_at (&asked, rows, i);
    if (table == job->table)
      check_error (check, CODE_CONFIG, "form", check_place (check), NULL,
                   "table: there is no table %s", table);
    else
      check_error (check, CODE_CONFIG, "form", check_place (check), NULL,
                   "a file of apply/ is named after %s: there is no such table", table);
  }
  g_ptr_array_unref (asked.whose);
}

void
check_needs (Check *check)
{
  if (!is_own_folder (check->job))
    return;
  Asked asked = asked_new ();
  for (char **need = check->job->needs; *need != NULL; need++) {
    const char *dot = strrchr (*need, '.');
    g_autofree char *table = dot != NULL ? g_strndup (*need, (gsize)(dot - *need)) : NULL,
                    *column = dot != NULL ? quoted_bare (dot + 1) : NULL;
    ask_for (&asked, table != NULL ? table : *need, column != NULL ? column : "", *need);
  }
  g_autoptr (PgRows) rows = missing (check, "needs", &asked);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_CONFIG, "needs", check_place (check), NULL, "needs: there is no %s %s",
                 rows_bool (rows, i, "whole") ? "table of" : "column", whose_at (&asked, rows, i));
  g_ptr_array_unref (asked.whose);
}

/* A group whose files leave the job's own rows alone counts them all the same. */
static void
check_own_rows (Check *check, const JobWhat *what)
{
  static const char *const counters[] = { "removed", "changed", NULL };
  if (what->apply->len == 0 || !g_strv_contains (counters, what->counter))
    return;
  const JobApply *own = &g_array_index (what->apply, JobApply, job_own_file (check->job, what));
  if (g_strcmp0 (own->table, check->job->table) != 0)
    check_warn (check, "form", check_place (check), NULL,
                "no file of apply/%s is about rows of %s: they stay as they are, and count as %s",
                what->word, check->job->table, what->counter);
}

void
check_folder (Check *check)
{
  const Job *job = check->job;
  if (!is_own_folder (job))
    return;
  check_tables_exist (check);
  for (guint i = 0; i < job->whats->len; i++)
    check_own_rows (check, job->whats->pdata[i]);
  if (job_launches (job, job->name))
    check_warn (check, "form", check_place (check), NULL,
                "launches: it starts runs of itself: they have no end unless children.sql returns "
                "fewer each time, down to none");
  if (job->page != NULL && !pg_statement_wants (job->page, "limit"))
    check_error (
        check, CODE_CONFIG, "form", check_place (check), NULL,
        "page.sql has no LIMIT :limit::int: a page that returns fewer rows is the last one, "
        "and one that returns all of them is no page");
}
