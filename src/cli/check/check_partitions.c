/* A sentence that drops partitions: who may, what is beside them, and how many would go. */
#include "cli/check/check.h"

#define SQL "src/cli/check/sql/"
#define NOWHERE ((CheckPlace){ 0 })
#define MOST 100000

static PgRows *
ask (Check *check, const char *name, const char *file)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table", check->job->table);
  return check_ask (check, name, file, values);
}

void
check_owner (Check *check)
{
  g_autoptr (PgRows) rows = ask (check, "rights", SQL "partitions_owners.sql");
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, "rights", NOWHERE, rows_text (rows, i, "remedy"),
                 "only an owner can drop partitions: this role has not the rights of %s, who owns "
                 "%s%s",
                 rows_text (rows, i, "owner"), rows_text (rows, i, "relation"),
                 rows_int (rows, i, "n") > 1 ? " and others" : "");
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "rights", "this role owns the table and its partitions");
}

static void
check_due (Check *check, const PgRows *found)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Run) run = check_run (check->job);
  g_autoptr (Step) step = step_new (check->pg, run, "", NULL, NULL);
  step->plan = TRUE;
  g_autoptr (PgRows) due
      = pg_begin_read_only (check->pg, &error) ? check_page_rows (check, step, MOST, &error) : NULL;
  pg_rollback (check->pg);
  if (due == NULL) {
    ExitCode code = check_code (check, error);
    check_error (check, code, "partitions", NOWHERE, check_remedy (check, code, error),
                 "could not be checked: %s", error->message);
  } else
    check_ok (check, "partitions", "%d of %d would go now", rows_count (due),
              (int)rows_int (found, 0, "n"));
}

static void
check_beside (Check *check, const PgRows *found)
{
  const char *name = rows_text (found, 0, "name"), *stranger = rows_text (found, 0, "stranger");
  if (rows_bool (found, 0, "beside"))
    check_warn (check, "default partition", NOWHERE, NULL,
                "%s has the default partition %s: PostgreSQL detaches others only under a lock of "
                "%s that all queries wait for, a second at most",
                name, rows_text (found, 0, "rest"), name);
  if (stranger == NULL)
    return;
  g_autofree char *remedy
      = g_strdup_printf ("ALTER TABLE %s DETACH PARTITION %s FINALIZE;", name, stranger);
  check_error (check, CODE_CONFIG, "half detached", NOWHERE, remedy,
               "somebody has left %s half detached: PostgreSQL detaches no other", stranger);
}

void
check_partitions (Check *check)
{
  g_autoptr (PgRows) found = ask (check, "partitions", SQL "partitions.sql");
  if (found == NULL || rows_count (found) == 0)
    return;
  check_due (check, found);
  check_beside (check, found);
}
