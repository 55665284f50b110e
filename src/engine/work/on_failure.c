#include "engine/work/on_failure.h"

#include "engine/job/job_files.h"

void
on_failure_set (Step *step)
{
  const JobCode *code = step->job->code;
  g_autoptr (GError) error = NULL;
  if (code == NULL || code->on_failure == NULL)
    return;
  step->on_failure = job_files_statement (step->job, code->on_failure, &error);
  if (step->on_failure == NULL)
    g_error ("%s", error->message);
}

void
on_failure_drop (Step *step)
{
  step->on_failure = NULL;
}

/* A row as a line: `level`, `message`, and the other columns as fields. */
static void
log_row (Step *step, const PgRows *rows, int row, const char *cause)
{
  LogLevel level;
  if (rows_column (rows, "level") < 0 || !log_level_parse (rows_text (rows, row, "level"), &level))
    return;
  json_t *fields = json_object ();
  for (int column = 0; column < rows_columns (rows); column++) {
    const char *name = rows_name (rows, column), *text = rows_at (rows, row, column);
    if (text != NULL && !g_str_equal (name, "level") && !g_str_equal (name, "message"))
      json_object_set_new (fields, name,
                           rows_is_integer (rows, column)
                               ? json_integer (rows_int (rows, row, name))
                               : json_string (text));
  }
  json_object_set_new (fields, "error", json_string (cause));
  step_log (step, level, rows_text (rows, row, "message"),
            fields); /* written when all is committed */
}

gboolean
on_failure_run (Pg *pg, Step *step, const char *state, const char *reason, GError **error)
{
  g_autoptr (PgValues) own = pg_values_new ();
  step_bind (step, step->on_failure, own);
  pg_values_set (own, "state", state);
  pg_values_set (own, "error", reason);
  g_autoptr (PgRows) lines = pg_run (pg, step->on_failure, own, error);
  for (int i = 0; lines != NULL && i < rows_count (lines); i++)
    log_row (step, lines, i, reason);
  return lines != NULL;
}

static gboolean
take_back (Step *step, const GError *cause, GError **error)
{
  log_warning ("On-failure file failed and was skipped", "job", step->job->name, "run_id",
               step->run->run_id, "error", cause->message);
  return pg_exec (step->pg, "ROLLBACK TO SAVEPOINT ended", error)
         && pg_exec (step->pg, "RELEASE SAVEPOINT ended", error);
}

gboolean
on_failure_end (Step *step, const char *state, const char *reason, GError **error)
{
  GError *cause = NULL;
  on_failure_set (step);
  if (step->on_failure == NULL)
    return TRUE;
  if (!pg_exec (step->pg, "SAVEPOINT ended", error))
    return FALSE;
  if (on_failure_run (step->pg, step, state, reason, &cause))
    return pg_exec (step->pg, "RELEASE SAVEPOINT ended", error);
  if (cause->code == PRUNED_OUTAGE || cause->code == PRUNED_BUSY || cause->code == PRUNED_FATAL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  gboolean ok = take_back (step, cause, error);
  g_error_free (cause);
  return ok;
}
