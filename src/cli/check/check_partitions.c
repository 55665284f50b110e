/* A sentence that drops partitions: who may, what is beside them, and how many would go. */
#include "cli/check/check.h"
#include "engine/step/decide.h"

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

/* How many of DUE would go. Names one that is kept. -1: error. */
static int
count_going (Check *check, Step *step, const PgRows *due, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (int i = 0; i < rows_count (due); i++)
    g_ptr_array_add (keys, (char *)rows_text (due, i, "key"));
  g_autoptr (PgRows) decided = decide_keys (step, keys, "{}", NULL, error);
  int n = decided != NULL ? 0 : -1, kept = 0, first = -1;
  for (int i = 0; decided != NULL && i < rows_count (decided); i++) {
    n += g_str_equal (rows_text (decided, i, "what"), "removed");
    if (g_str_equal (rows_text (decided, i, "what"), "kept") && kept++ == 0)
      first = i;
  }
  if (kept > 0)
    check_warn (check, "kept partitions", NOWHERE, NULL, "%d that would go stay: %s, %s%s", kept,
                rows_text (decided, first, "key"), rows_text (decided, first, "reason"),
                kept > 1 ? ", and others" : "");
  return n;
}

static void
check_due (Check *check, const PgRows *found)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Run) run = check_run (check->job);
  g_autoptr (Step) step = step_new_plan (check->pg, run);
  g_autoptr (PgRows) due
      = pg_begin_read_only (check->pg, &error) ? check_page_rows (check, step, MOST, &error) : NULL;
  int going = due != NULL ? count_going (check, step, due, &error) : -1;
  pg_rollback (check->pg);
  if (going < 0) {
    ExitCode code = check_code (check, error);
    check_error (check, code, "partitions", NOWHERE, check_remedy (check, code, error),
                 "could not be checked: %s", error->message);
  } else
    check_ok (check, "partitions", "%d of %d would go now", going, (int)rows_int (found, 0, "n"));
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
