/* --apply N: the first keys of a job go through the files of apply, as a run does it, in a
 * transaction that is rolled back. */
#include "cli/check/check.h"

#include "engine/step/page_keys.h"
#include "engine/step/trial.h"

static const Column COLUMNS[]
    = { { "file" }, { "rows", CELL_NUMBER }, { "keys", CELL_NUMBER }, { NULL } };

typedef struct {
  json_t *rows; /* file -> rows, in the order of the files */
  gint64 keys;  /* decided */
} Applied;

static void
add_file (const PgStatement *statement, gint64 rows, gpointer data)
{
  Applied *applied = data;
  g_autofree char *name = g_strdup (pg_statement_name (statement));
  char *mark = strchr (name, '#'); /* of the columns that it returns */
  if (mark != NULL)
    *mark = '\0';
  json_int_t n = json_integer_value (json_object_get (applied->rows, name));
  json_object_set_new (applied->rows, name, json_integer (n + rows));
}

static gboolean
try_keys (Check *check, Step *step, const Page *page, Applied *applied, GError **error)
{
  Trial trial = { 0 };
  g_autofree char *reason = NULL;
  step->applied = add_file;
  step->applied_data = applied;
  gboolean ok = trial_run (step, page->keys, NULL, TRUE, &trial, &reason, error);
  if (ok)
    applied->keys = rows_count (trial.decided);
  else if (reason != NULL)
    cli_fail (CODE_CONFIG, error, "%s: a row is at fault: %s", check->job->name, reason);
  trial_clear (&trial);
  return ok;
}

static ExitCode
apply (Check *check, gint64 n, Applied *applied, GError **error)
{
  Page page = { 0 };
  g_autoptr (GError) cause = NULL;
  g_autoptr (Run) run = check_run (check->job);
  g_autoptr (Step) step = step_new (check->pg, run, "", NULL, NULL);
  g_autoptr (PgRows) rows
      = pg_begin (check->pg, &cause) ? check_page_rows (check, step, (int)n, &cause) : NULL;
  gboolean ok = rows != NULL;
  if (ok) {
    page_read (run, rows, (int)n, &page);
    ok = page.keys->len == 0 || try_keys (check, step, &page, applied, &cause);
  }
  ExitCode code = ok ? CODE_OK : check_code (check, cause);
  pg_rollback (check->pg);
  page_clear (&page);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&cause));
  return code;
}

ExitCode
check_apply (Check *check, gint64 n, GError **error)
{
  const Job *job = check->job;
  if (job->page == NULL || !job->kind->pages || !job->kind->rows)
    return cli_usage (error, "job %s has no page of its own to apply: --apply is for page jobs",
                      job->name);
  g_autoptr (json_t) rows = json_object ();
  Applied applied = { rows, 0 };
  ExitCode code = apply (check, n, &applied, error);
  if (code != CODE_OK)
    return code;
  Output *out = check->cli->out;
  output_table (out, COLUMNS);
  const char *file;
  json_t *count;
  json_object_foreach (rows, file, count)
    output_row (out, json_string (file), json_incref (count), json_integer (applied.keys));
  output_end_list (out, "No row is due: none of %s went through its files.", job->name);
  output_hint (out, "\nNothing was changed: the transaction was rolled back.");
  return CODE_OK;
}
