#include "cli/run_row.h"

#include "base/uuid5.h"

const Column RUN_COLUMNS[] = {
  { "run_id" },
  { "job" },
  { "state" },
  { "status", .derived = TRUE }, /* of the result: completed, blocked, ... */
  { "step", CELL_NUMBER },
  { "attempts", CELL_NUMBER },
  { "slot", CELL_NUMBER, .detail = TRUE },
  { "unique_key", .detail = TRUE },
  { "parent_id", .detail = TRUE },
  { "scheduled_at", CELL_TIME },
  { "due_at", CELL_TIME, .detail = TRUE },
  { "args", CELL_JSON, .detail = TRUE },
  { "cursor", CELL_JSON, .detail = TRUE },
  { "created_at", CELL_TIME, .detail = TRUE },
  { "started_at", CELL_TIME, .detail = TRUE },
  { "published_at", CELL_TIME, .detail = TRUE },
  { "changed_at", CELL_TIME, .detail = TRUE },
  { "finished_at", CELL_TIME },
  { "result", CELL_JSON },
  { "error" },
  { NULL },
};

PgRows *
run_row_find (Pg *pg, const char *run_id, gint64 at_us, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  if (at_us >= 0)
    pg_values_time (values, "scheduled_at", at_us);
  else
    pg_values_set (values, "scheduled_at", NULL);
  if (!pg_begin (pg, error))
    return NULL;
  PgRows *rows = pg_run_file (pg, "src/cli/sql/run.sql", values, error);
  pg_rollback (pg);
  return rows;
}

PgRows *
run_row_get (Pg *pg, const char *run_id, ExitCode *code, GError **error)
{
  g_autoptr (PgRows) rows = NULL;
  *code = CODE_NOT_FOUND;
  if (uuid5_is_valid (run_id) && (rows = run_row_find (pg, run_id, -1, error)) == NULL) {
    *code = cli_pg_failed (pg, error);
    return NULL;
  }
  if (rows != NULL && rows_count (rows) > 0)
    return g_steal_pointer (&rows);
  cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", run_id);
  return NULL;
}
