/* What the audit will not have of the rows that a job removes or changes. */
#include "cli/check/check.h"
#include "engine/ledger/unrecorded.h"

#define REMEDY "if it is no secret, say record = %s; if the rows need not come back, audit = keys"

static void
say_column (Check *check, const Unrecorded *column)
{
  g_autofree char *remedy = g_strdup_printf (REMEDY, column->column);
  if (column->vain)
    check_error (check, CODE_CONFIG, "record", check_place_of_key (check, "record"), NULL,
                 "record = %s: %s", column->column, column->why);
  else if (check->job->built_in || (column->lost && check->job->final != NULL))
    check_ok (check, "record", "%s is not recorded", column->column);
  else if (column->lost)
    check_error (check, CODE_CONFIG, "record", check_place (check), remedy,
                 "%s is not recorded, and %s", column->column, column->why);
  else
    check_warn (check, "record", check_place (check), NULL, "%s is not recorded: %s",
                column->column, column->why);
}

void
check_recorded (Check *check)
{
  g_autoptr (GError) error = NULL;
  if (!check_can_run (check))
    return;
  g_autoptr (GPtrArray) columns = pg_begin_read_only (check->pg, &error)
                                      ? unrecorded_find (check->pg, check->job, &error)
                                      : NULL;
  pg_rollback (check->pg);
  for (guint i = 0; columns != NULL && i < columns->len; i++)
    say_column (check, columns->pdata[i]);
  if (columns == NULL)
    check_error (check, CODE_POSTGRES, "record", (CheckPlace){ 0 },
                 check_remedy (check, CODE_POSTGRES, error), "could not be checked: %s",
                 error->message);
}
