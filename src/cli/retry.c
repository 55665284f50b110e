#include "cli/commands.h"
#include "cli/run_row.h"
#include "cli/run_send.h"

/* A run that is held by our transaction. */
typedef struct {
  const char *run_id;
  gboolean archived;
  PgRows *row;       /* state, step, job, args, unique_key, scheduled_at, due_at */
  RunSender *sender; /* NULL: nobody can take its message now */
  Run *ready;        /* to be sent after the commit; NULL: nothing is */
} Held;

static void
held_clear (Held *held)
{
  rows_free (held->row);
  run_sender_free (held->sender);
  run_free (held->ready);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Held, held_clear)

static gboolean
run_on (Pg *pg, const char *file, const char *run_id, const char *unique_key, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  pg_values_set (values, "unique_key", unique_key);
  g_autoptr (PgRows) rows = pg_run_file (pg, file, values, error);
  return rows != NULL;
}

static PgRows *
lock_in (Pg *pg, const char *file, const char *run_id, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  return pg_run_file (pg, file, values, error);
}

/* A step holds its run for as long as its transaction lasts: longer than lock_timeout usually is.
 */
static gboolean
hold (Pg *pg, Held *held, GError **error)
{
  if (!pg_begin (pg, error) || !pg_exec (pg, "SET LOCAL lock_timeout = '14s'", error))
    return FALSE;
  held->row = lock_in (pg, "src/cli/sql/run_lock.sql", held->run_id, error);
  if (held->row == NULL || rows_count (held->row) > 0)
    return held->row != NULL;
  g_clear_pointer (&held->row, rows_free);
  held->archived = TRUE;
  held->row = lock_in (pg, "src/cli/sql/run_lock_archived.sql", held->run_id, error);
  return held->row != NULL;
}

/* A dead run has given its key back; it is made again as its tick, event or parent made it. */
static char *
unique_key_of (Cli *cli, const Held *held)
{
  const Job *job = jobs_find (cli->jobs, rows_text (held->row, 0, "job"));
  g_autoptr (json_t) args = cell_from_text (CELL_JSON, rows_text (held->row, 0, "args"));
  if (job == NULL)
    return NULL;
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    if (event->key != NULL && json_object_get (args, event->key) != NULL)
      return job_expand_key (event->unique_key, args);
  }
  return job_expand_key (job->unique_key, args);
}

static ExitCode
say_holder (Cli *cli, Pg *pg, const char *unique_key, GError **error)
{
  pg_rollback (pg);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "unique_key", unique_key);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/run_holder.sql", values, NULL);
  gboolean known = rows != NULL && rows_count (rows) > 0;
  g_clear_error (error);
  return cli_fail (CODE_NOT_FOUND, error, "its unique key %s is taken by run %s", unique_key,
                   known ? rows_text (rows, 0, "run_id") : "(ended meanwhile: try again)");
}

/* Neither a back-off nor a hand lets a run begin before its time. */
static gint64
earliest_of (Cli *cli, const Held *held)
{
  const Job *job = jobs_find (cli->jobs, rows_text (held->row, 0, "job"));
  g_autoptr (json_t) args = cell_from_text (CELL_JSON, rows_text (held->row, 0, "args"));
  gint64 scheduled_at_us = rows_int (held->row, 0, "scheduled_at");
  return job != NULL ? run_earliest_us (job, scheduled_at_us, args) : scheduled_at_us;
}

static ExitCode
again (Cli *cli, Pg *pg, Held *held, GError **error)
{
  const Job *job = jobs_find (cli->jobs, rows_text (held->row, 0, "job"));
  g_autofree char *unique_key = unique_key_of (cli, held);
  if (held->archived && !run_on (pg, "src/cli/sql/run_unarchive.sql", held->run_id, NULL, error))
    return cli_pg_failed (pg, error);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", held->run_id);
  pg_values_set (values, "unique_key", unique_key);
  pg_values_set (values, "sent", held->sender != NULL ? "t" : "f");
  pg_values_time (values, "earliest", earliest_of (cli, held));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/run_again.sql", values, error);
  if (rows != NULL && job != NULL && g_str_equal (rows_text (rows, 0, "state"), "ready"))
    held->ready = run_from_row (job, rows, 0);
  if (rows != NULL)
    return CODE_OK;
  return g_str_equal (pg_sqlstate (pg), "23505") ? say_holder (cli, pg, unique_key, error)
                                                 : cli_pg_failed (pg, error);
}

static ExitCode
bring_forward (Cli *cli, Pg *pg, const Held *held, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", held->run_id);
  pg_values_time (values, "earliest", earliest_of (cli, held));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/run_now.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (rows_count (rows) > 0)
    return CODE_OK;
  gboolean pauses = rows_int (held->row, 0, "step") > 0;
  return cli_usage (
      error,
      "run %s is %s, %s UTC: only what waits for a retry, or for what it lacks, can be brought forward",
      held->run_id, pauses ? "waiting for its next page" : "waiting for its time",
      rows_text (held->row, 0, "due_at"));
}

static ExitCode
retry (Cli *cli, Pg *pg, Held *held, GError **error)
{
  const char *state = rows_text (held->row, 0, "state");
  gboolean blocked = g_str_equal (state, "finished")
                     && g_strcmp0 (rows_text (held->row, 0, "status"), "blocked") == 0;
  if (g_str_equal (state, "dead") || blocked)
    return again (cli, pg, held, error);
  if (!g_str_equal (state, "waiting"))
    return cli_usage (error, "run %s is %s: only a dead, blocked or waiting one can be tried again",
                      held->run_id, state);
  return bring_forward (cli, pg, held, error);
}

static ExitCode
discard (Cli *cli, Pg *pg, Held *held, GError **error)
{
  const char *state = rows_text (held->row, 0, "state");
  if (g_str_equal (state, "finished") || g_str_equal (state, "skipped"))
    return cli_usage (error, "run %s is %s: it has ended", held->run_id, state);
  const char *file
      = held->archived ? "src/cli/sql/run_discard_archived.sql" : "src/cli/sql/run_discard.sql";
  return run_on (pg, file, held->run_id, NULL, error) ? CODE_OK : cli_pg_failed (pg, error);
}

typedef ExitCode (*Change) (Cli *cli, Pg *pg, Held *held, GError **error);

/* Its lane gets its message at once. Who cannot be reached now is told by PostgreSQL, seconds
 * later. */
static void
send_ready (const Held *held, const char *why)
{
  g_autoptr (GError) error = NULL;
  if (held->ready == NULL)
    return;
  if (held->sender != NULL && run_sender_send (held->sender, held->ready, &error))
    return;
  log_warning ("The run is ready, its message could not be sent: a daemon will", "run_id",
               held->run_id, "error", error != NULL ? error->message : why);
}

/* Those that `again` makes ready. */
static gboolean
has_ended_so_that_it_may_go_on (const PgRows *row)
{
  const char *text = rows_text (row, 0, "result");
  g_autoptr (json_t) result = text != NULL ? cell_from_text (CELL_JSON, text) : NULL;
  return g_str_equal (rows_text (row, 0, "state"), "dead")
         || g_strcmp0 (json_string_value (json_object_get (result, "status")), "blocked") == 0;
}

/* Before the transaction: to find the broker takes a while. */
static void
find_sender (Cli *cli, Held *held, const PgRows *before, char **why)
{
  Job *job = jobs_find (cli->jobs, rows_text (before, 0, "job"));
  if (job != NULL && has_ended_so_that_it_may_go_on (before))
    held->sender = run_sender_new (cli, job, why);
}

static ExitCode
change_held (Cli *cli, Pg *pg, Change change, const PgRows *before, GError **error)
{
  g_auto (Held) held = { .run_id = cli->arguments[0] };
  g_autofree char *why = NULL;
  if (change == retry)
    find_sender (cli, &held, before, &why);
  if (!hold (pg, &held, error))
    return cli_pg_failed (pg, error);
  if (rows_count (held.row) == 0)
    return cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", held.run_id);
  ExitCode code = change (cli, pg, &held, error);
  if (code == CODE_OK && !pg_commit (pg, error))
    return cli_pg_failed (pg, error);
  if (code == CODE_OK)
    send_ready (&held, why);
  return code;
}

static ExitCode
change_run (Cli *cli, Change change, GError **error)
{
  ExitCode code;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) before = run_row_get (pg, cli->arguments[0], &code, error);
  if (before == NULL)
    return code;
  code = change_held (cli, pg, change, before, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (PgRows) after = run_row_get (pg, cli->arguments[0], &code, error);
  if (after == NULL)
    return code;
  output_table (cli->out, RUN_COLUMNS);
  output_rows (cli->out, after);
  return CODE_OK;
}

ExitCode
command_retry (Cli *cli, GError **error)
{
  return change_run (cli, retry, error);
}

ExitCode
command_discard (Cli *cli, GError **error)
{
  return change_run (cli, discard, error);
}
