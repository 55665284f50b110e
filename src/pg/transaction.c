/* Transactions: each sets its own limits, and so does a statement outside one; BEGIN is sent with
 * the first statement. */
#include "base/clock.h"
#include "base/fault.h"
#include "pg/commit.h"
#include "pg/pg_private.h"

const char *
pg_unsettled (const Pg *pg)
{
  return pg->unsettled->len > 0 ? pg->unsettled->str : NULL;
}

void
pg_forget_unsettled (Pg *pg)
{
  g_string_truncate (pg->unsettled, 0);
}

static gboolean
begin (Pg *pg, gboolean read_only, GError **error)
{
  g_assert (!pg_in_transaction (pg));
  if (!pg_ensure (pg, error))
    return FALSE;
  pg->deadline_us = pg->until_us;
  pg->read_only = read_only;
  pg->transactions++;
  pg->sqlstate[0] = '\0'; /* forget the error of the previous transaction */
  pg->stirred = pg->hidden = FALSE;
  pg->lock = PG_LOCK_NONE;
  g_ptr_array_set_size (pg->changed, 0);
  pg_forget_unsettled (pg);
  pg->begin_wanted = TRUE;
  return TRUE;
}

gboolean
pg_begin (Pg *pg, GError **error)
{
  return begin (pg, FALSE, error);
}

gboolean
pg_begin_read_only (Pg *pg, GError **error)
{
  return begin (pg, TRUE, error);
}

/* A savepoint keeps the settings that it finds: what a rollback to it brings back must be ours. */
gboolean
pg_exec_later (Pg *pg, const char *sql, GError **error)
{
  if (!pg_ensure (pg, error) || !pg_send_limits (pg, error)
      || (g_str_has_prefix (sql, "SAVEPOINT ") && !pg_send_settings (pg, error)))
    return FALSE;
  pg->stirred |= g_str_has_prefix (sql, "SET CONSTRAINTS ");
  return pg_send_own (pg, sql, error);
}

gboolean
pg_exec (Pg *pg, const char *sql, GError **error)
{
  return pg_exec_later (pg, sql, error) && pg_flush (pg, error) && pg_finish (pg, error);
}

/* Leaves pipeline mode, which refuses several statements in one text. */
gboolean
pg_script (Pg *pg, const char *sql, GError **error)
{
  if (pg->begin_wanted ? !pg_exec (pg, "SELECT", error) : !pg_ensure (pg, error))
    return FALSE;
  if (!PQexitPipelineMode (pg->conn))
    return pg_fail_connection (pg, "cannot leave pipeline mode", error);
  PGresult *result = PQexec (pg->conn, sql);
  ExecStatusType status = PQresultStatus (result);
  gboolean done
      = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
  if (!done)
    pg_fail_statement (pg, result, NULL, error);
  PQclear (result);
  if (pg->conn != NULL && !PQenterPipelineMode (pg->conn))
    return done ? pg_fail_connection (pg, "cannot use pipelines", error) : FALSE;
  return done;
}

gboolean
pg_outside (Pg *pg, const char *sql, gint64 most_us, GError **error)
{
  g_assert (!pg_in_transaction (pg));
  if (!pg_ensure (pg, error))
    return FALSE;
  pg->sqlstate[0] = '\0';
  pg->deadline_us = clock_monotonic_us () + most_us;
  gboolean done = pg_run_own (pg, sql, error);
  pg->deadline_us = 0;
  return done;
}

void
pg_set_task (Pg *pg, const char *task)
{
  g_free (pg->task);
  pg->task = g_strdup (task);
}

gboolean
pg_change_task (Pg *pg, const char *task, GError **error)
{
  pg_set_task (pg, task);
  if (!pg->takes_task)
    return TRUE;
  const PgStatement *statement = pg_statement_text (
      "the task of a transaction",
      "SELECT pg_catalog.set_config('application_name', :task::text, true)", error);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "task", task);
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (pg, statement, values, error) : NULL;
  return rows != NULL;
}

/* Which tables can have changed with others is asked once a minute: what is queued goes before. */
static gboolean
queue_keys (Pg *pg, GError **error)
{
  if (pg->changed->len == 0)
    return TRUE;
  const PgStatement *reach = pg_statement ("src/pg/sql/keys_reach.sql");
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tables", array_of_texts (pg->changed));
  if (pg->sent->len > 0 && !pg_has_kept (pg, reach, values, minute)
      && (!pg_flush (pg, error) || !pg_finish (pg, error)))
    return FALSE;
  const PgRows *rows = pg_run_kept (pg, reach, values, minute, error);
  if (rows == NULL)
    return FALSE;
  pg_values_set (values, "rels", rows_text (rows, 0, "rels"));
  return pg_send_keys (pg, values, error);
}

static gboolean
holds_callers (const Pg *pg)
{
  for (guint i = 0; i < pg->sent->len; i++)
    if (g_array_index (pg->sent, Sent, i).kind == SENT_CALLER)
      return TRUE;
  return FALSE;
}

void
pg_rollback (Pg *pg)
{
  pg_set_task (pg, NULL);
  pg->begin_wanted = FALSE;
  pg->deadline_us = pg->until_us;
  if (!pg->in_transaction || pg->conn == NULL) {
    pg->in_transaction = FALSE;
    return;
  }
  g_autoptr (GError) ignored
      = NULL; /* if ROLLBACK fails, the connection is closed, which rolls back */
  if (pg->synced || holds_callers (pg))
    pg_close (pg);
  else if (!pg_run_own (pg, "ROLLBACK", &ignored))
    pg_close (pg);
  pg->in_transaction = FALSE;
}

/* A commit has nothing left to do, so it is not given the time of a statement that may take long.
 */
static gboolean
run_commit (Pg *pg, GError **error)
{
  const int answer_ms = pg->answer_ms;
  pg->answer_ms = MIN (answer_ms, ANSWER_TIMEOUT_MS);
  const gboolean ended = pg_run_own (pg, "COMMIT", error);
  pg->answer_ms = answer_ms;
  return ended;
}

gboolean
pg_commit (Pg *pg, GError **error)
{
  pg_set_task (pg, NULL);
  /* Nothing was sent. */
  if (pg->begin_wanted) {
    pg->begin_wanted = FALSE;
    return TRUE;
  }
  g_assert (pg->in_transaction);
  pg->deadline_us = 0;
  gboolean queued = pg->sent->len > 0; /* if a queued statement fails, COMMIT is skipped */
  /* In another state COMMIT would answer ROLLBACK. */
  if (pg->conn == NULL || (!queued && PQtransactionStatus (pg->conn) != PQTRANS_INTRANS))
    return error_set (error, PRUNED_OUTAGE,
                      "PostgreSQL: the transaction was lost before its commit");
  if ((pg->asks_commits && !commit_note (pg, error))
      || (pg->may_commit != NULL && pg->number != NULL && !pg->may_commit (pg, error))
      || !queue_keys (pg, error))
    return FALSE;
  if (!run_commit (pg, error)) {
    const gboolean lost = pg->asks_commits && pg->number != NULL && pg->conn == NULL;
    if (lost)
      pg_rollback (pg);
    return lost && commit_find_out (pg, error);
  }
  pg->in_transaction = FALSE;
  return TRUE;
}

PgRows *
pg_run_alone (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  if (!pg_begin (pg, error))
    return NULL;
  g_autoptr (PgRows) rows = pg_run_file (pg, file, values, error);
  FAULT_ABOUT ("alone.before_commit", file);
  if (rows != NULL && pg_commit (pg, error))
    return g_steal_pointer (&rows);
  pg_rollback (pg);
  return NULL;
}
