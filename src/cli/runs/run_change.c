#include "cli/runs/run_change.h"

#include "base/plural.h"
#include "cli/ask.h"
#include "cli/note.h"
#include "cli/runs/run_row.h"
#include "cli/runs/run_wait.h"
#include "engine/job/in_force.h"
#include "engine/view/view.h"

static void
locked_run_clear (LockedRun *run)
{
  rows_free (run->row);
  run_free (run->ready);
  g_free (run->told);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LockedRun, locked_run_clear)

static PgRows *
lock_in (Pg *pg, const char *file, const char *run_id, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  return pg_run_file (pg, file, values, error);
}

/* A step locks its run until its transaction ends: longer than the usual lock_timeout. */
static gboolean
lock (Pg *pg, LockedRun *run, GError **error)
{
  if (!pg_begin (pg, error) || !pg_exec (pg, "SET LOCAL lock_timeout = '14s'", error))
    return FALSE;
  run->row = lock_in (pg, "src/cli/runs/sql/run_lock.sql", run->run_id, error);
  if (run->row == NULL || rows_count (run->row) > 0)
    return run->row != NULL;
  g_clear_pointer (&run->row, rows_free);
  run->archived = TRUE;
  run->row = lock_in (pg, "src/cli/runs/sql/run_lock_archived.sql", run->run_id, error);
  return run->row != NULL;
}

/* Sends the run's message to its lane at once. If that fails, the daemon finds the run in
 * PostgreSQL and sends the message seconds later. */
static void
send_ready (const LockedRun *run, const char *why)
{
  g_autoptr (GError) error = NULL;
  if (run->ready == NULL)
    return;
  if (run->sender != NULL && run_sender_send (run->sender, run->ready, &error))
    return;
  log_warning ("The run is ready, but its message could not be sent; a daemon will send it",
               "run_id", run->run_id, "error", error != NULL ? error->message : why);
}

/* Runs that a command makes ready. */
static gboolean
can_run_again (const PgRows *row)
{
  const char *text = rows_text (row, 0, "result");
  g_autoptr (json_t) result = text != NULL ? cell_from_text (CELL_JSON, text) : NULL;
  const char *state = rows_text (row, 0, "state");
  return g_str_equal (state, "dead") || g_str_equal (state, "held")
         || (g_str_equal (state, "finished")
             && g_strcmp0 (json_string_value (json_object_get (result, "status")), "blocked") == 0);
}

/* What is common to the runs of one command. */
typedef struct {
  Cli *cli;
  Pg *pg;
  const RunDeed *deed;
  const RunOptions *options;
  GHashTable *senders; /* job -> RunSender, or NULL if nothing can be sent */
  char *why;           /* there is no sender; NULL: not known */
} Many;

static void
many_clear (Many *many)
{
  g_clear_pointer (&many->senders, g_hash_table_unref);
  g_free (many->why);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Many, many_clear)

/* Called before the transaction: finding the broker takes a while. */
static RunSender *
find_sender (Many *many, const PgRows *before)
{
  Job *job = jobs_find (many->cli->jobs, rows_text (before, 0, "job"));
  gpointer known = NULL;
  if (!many->deed->again || job == NULL || !can_run_again (before))
    return NULL;
  if (!g_hash_table_lookup_extended (many->senders, job->name, NULL, &known)) {
    g_clear_pointer (&many->why, g_free);
    known = run_sender_new (many->cli, job, &many->why);
    g_hash_table_insert (many->senders, job->name, known);
  }
  return known;
}

/* Whoever has looked at a run decides about what they have seen. */
static ExitCode
check_seen (const RunOptions *seen, const LockedRun *run, GError **error)
{
  const char *counted = rows_text (run->row, 0, "counted"),
             *state = rows_text (run->row, 0, "state");
  const gint64 step = rows_int (run->row, 0, "step");
  g_autofree char *rows = g_strdup_printf ("%" G_GINT64_FORMAT, seen->rows);
  if (seen->step >= 0 && step != seen->step)
    return cli_usage (error,
                      "run %s has changed: it is %s at step %" G_GINT64_FORMAT
                      ", and was looked at "
                      "at step %d; nothing was done",
                      run->run_id, state, step, seen->step);
  if (seen->rows >= 0 && g_strcmp0 (counted, rows) != 0)
    return cli_usage (
        error,
        "run %s has changed: it is %s with %s counted rows, and was looked at with %s; "
        "nothing was done",
        run->run_id, state, counted != NULL ? counted : "no", rows);
  return CODE_OK;
}

static ExitCode
change_locked (Many *many, LockedRun *run, GError **error)
{
  if (!lock (many->pg, run, error))
    return cli_pg_failed (many->pg, error);
  if (rows_count (run->row) == 0)
    return cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", run->run_id);
  ExitCode code = check_seen (many->options, run, error);
  if (code == CODE_OK)
    code = many->deed->verb (many->cli, many->pg, run, error);
  if (code == CODE_OK && !run->unchanged
      && (!cli_note (many->cli, many->pg, NULL, run->run_id,
                     run->told != NULL ? run->told : many->options->reason, error)
          || !pg_commit (many->pg, error)))
    return cli_pg_failed (many->pg, error);
  if (code == CODE_OK)
    send_ready (run, many->why);
  return code;
}

/* Warns of what keeps a run that was made ready from its next step. */
static void
say_why_it_waits (const Many *many, const PgRows *row)
{
  const char *name = rows_text (row, 0, "job"), *state = rows_text (row, 0, "state");
  const Job *job = jobs_find (many->cli->jobs, name);
  if (!many->deed->again || !(g_str_equal (state, "ready") || g_str_equal (state, "waiting")))
    return;
  if (run_wait_s < 0) /* else the one that waits warns */
    run_wait_warn (many->pg, name);
  if (job == NULL)
    log_warning ("The job is not in force here: its run waits until a process has it", "job", name,
                 "run_id", rows_text (row, 0, "run_id"), NULL);
  else if (!in_force_is_on (job))
    log_warning ("The job is off: its run waits until the job is on", "job", name, "run_id",
                 rows_text (row, 0, "run_id"), "remedy", "mode = apply, then: pruned reload");
}

/* Changes one run, and writes it as it is then. */
static ExitCode
change_one (Many *many, const char *run_id, GError **error)
{
  ExitCode code;
  g_autoptr (PgRows) before = run_row_get (many->pg, run_id, &code, error);
  if (before == NULL)
    return code;
  g_auto (LockedRun) run = { .run_id = run_id, .sender = find_sender (many, before) };
  code = change_locked (many, &run, error);
  pg_rollback (many->pg);
  if (code != CODE_OK)
    return code;
  g_autoptr (PgRows) after = run_row_get (many->pg, run_id, &code, error);
  if (after == NULL)
    return code;
  say_why_it_waits (many, after);
  output_rows (many->cli->out, after);
  return CODE_OK;
}

/* Each run in a transaction of its own. One that cannot be changed does not keep the others from
 * it. */
static ExitCode
change_all (Many *many, const GPtrArray *ids, GError **error)
{
  ExitCode first = CODE_OK;
  guint failed = 0;
  output_table (many->cli->out, view_columns (VIEW_RUNS));
  for (guint i = 0; i < ids->len; i++) {
    GError *cause = NULL;
    ExitCode code = change_one (many, ids->pdata[i], &cause);
    if (code == CODE_OK)
      continue;
    if (failed++ == 0) {
      first = code;
      g_propagate_error (error, cause);
    } else
      g_error_free (cause);
    if (code == CODE_POSTGRES)
      break;
  }
  if (failed > 1)
    g_prefix_error (error, "%u of %u runs were not changed; the first: ", failed, ids->len);
  return first;
}

ExitCode
run_change (Cli *cli, const RunDeed *deed, const RunOptions *options, GError **error)
{
  ExitCode code = run_choice_check (cli, &options->filter, error);
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  if (code != CODE_OK)
    return code;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  code = run_choice_find (cli, pg, &options->filter, deed->word, ids, error);
  g_autofree char *question
      = g_strdup_printf ("%s %u %s", deed->word, ids->len, plural (ids->len, "run", "runs"));
  if (code == CODE_OK && ids->len != 1 && (options->step >= 0 || options->rows >= 0))
    code = cli_usage (error, "--step, --rows: of one run");
  if (code == CODE_OK && run_choice_is_filter (&options->filter))
    code = ask_first (options->yes, question, error);
  if (code != CODE_OK)
    return code;
  g_auto (Many) many = { .cli = cli, .pg = pg, .deed = deed, .options = options };
  many.senders
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)run_sender_free);
  return change_all (&many, ids, error);
}
