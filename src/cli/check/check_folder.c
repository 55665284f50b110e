/* Whether a folder of one's own is about tables that exist, about rows of its own table, and asks
 * for as many rows as a page has. */
#include "cli/check/check.h"

#include "engine/job/job_needs.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#define SQL "src/cli/check/sql/"

/* TABLE as SQL takes it: a name without quotes may need them. */
static void
add_table (GString *tables, GPtrArray *said, const char *table)
{
  g_autofree char *name = sql_text_only_name (table, 2, NULL), *made = quoted_make (table);
  array_add (tables, name != NULL ? table : made);
  g_ptr_array_add (said, (gpointer)table);
}

/* The job's own table, and those that its files are named after. What a file inserts into may be a
 * table of pruned. */
static void
check_tables_exist (Check *check)
{
  const Job *job = check->job;
  GString *tables = array_new ();
  g_autoptr (GPtrArray) said = g_ptr_array_new ();
  if (job->table != NULL)
    add_table (tables, said, job->table);
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const JobApply *file = &g_array_index (apply, JobApply, k);
      if (file->kind != APPLY_INSERT && g_strcmp0 (file->table, job->table) != 0)
        add_table (tables, said, file->table);
    }
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "relation", array_take (tables));
  g_autoptr (PgRows) rows = check_ask (check, "form", SQL "missing.sql", values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *table = said->pdata[rows_int (rows, i, "n") - 1];
    if (table == job->table)
      check_error (check, CODE_CONFIG, "form", check_place_of_key (check, "table"), NULL,
                   "table: there is no table %s", table);
    else
      check_error (check, CODE_CONFIG, "form", check_place (check), NULL,
                   "a file of apply/ is named after %s: there is no such table", table);
  }
}

void
check_needs (Check *check)
{
  if (!job_needs_any (check->job))
    return;
  g_autoptr (PgValues) values = pg_values_new ();
  job_needs_bind (check->job, values);
  g_autoptr (PgRows) rows = check_ask (check, "needs", JOB_NEEDS, values);
  if (rows != NULL && rows_count (rows) > 0)
    check_error (check, CODE_CONFIG, "needs", check_place_of_key (check, "needs"), NULL, "%s",
                 rows_text (rows, 0, "reason"));
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
  if (!job_is_own_folder (job))
    return;
  check_tables_exist (check);
  check_order (check);
  check_collation (check);
  for (guint i = 0; i < job->whats->len; i++)
    check_own_rows (check, job->whats->pdata[i]);
  if (job_launches (job, job->name))
    check_warn (check, "form", check_place (check), NULL,
                "launches: it starts runs of itself: they have no end unless children.sql returns "
                "fewer each time, down to none");
  if (job->page != NULL && !pg_statement_wants (job->page, "limit"))
    check_warn (
        check, "form", check_place (check), NULL,
        "page.sql has no LIMIT :limit::int: a page that returns fewer rows is the last one, "
        "and one that returns all of them is no page");
}
