/* Transactions: each sets its own limits, and so does a statement outside one; BEGIN is sent with
 * the first statement. */
#include "base/fault.h"
#include "pg/pg_private.h"

/* The limits of every transaction (docs/rules.md), set for that transaction only. No jit: the
 * planner's cost estimate of a page can be far too high, and compiling took 5 s for a statement of
 * 10 ms. In the search_path, pg_catalog comes first and pg_temp last: a path without pg_temp begins
 * with it. This statement runs before the path is set, so it qualifies all names. */
#define LIMITS                                                                                                          \
  "SELECT pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %I, pg_temp', :app_schema::text), true)," \
  " pg_catalog.set_config('statement_timeout', '15s', true), pg_catalog.set_config('lock_timeout', '2s', true),"        \
  " pg_catalog.set_config('idle_in_transaction_session_timeout', '10s', true),"                                         \
  " pg_catalog.set_config('timezone', 'UTC', true), pg_catalog.set_config('datestyle', 'ISO', true),"                   \
  " pg_catalog.set_config('jit', 'off', true),"                                                                         \
  " CASE WHEN :task::text <> '' THEN pg_catalog.set_config('application_name', :task::text, true) END"

static gboolean
send_limits (Pg *pg, GError **error)
{
  gint plans = pg->plans != NULL ? atomic_load (pg->plans) : 0;
  if (plans != pg->plans_made && !pg_send_own (pg, "DISCARD PLANS", error))
    return FALSE;
  pg->plans_made = plans;
  const char *bound[] = { pg->app_schema, pg->task != NULL && pg->takes_task ? pg->task : "" };
  const PgStatement *limits = pg_statement_text ("the limits of a transaction", LIMITS, error);
  return limits != NULL && pg_send_bound (pg, SENT_OWN, limits, bound, error);
}

gboolean
pg_send_limits (Pg *pg, GError **error)
{
  if (!pg->begin_wanted)
    return pg->in_transaction || pg->sent->len > 0 || send_limits (pg, error);
  pg->begin_wanted = FALSE;
  pg->in_transaction = TRUE;
  return pg_send_own (
             pg, pg->read_only ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN", error)
         && send_limits (pg, error);
}

static gboolean
begin (Pg *pg, gboolean read_only, GError **error)
{
  g_assert (!pg_in_transaction (pg));
  if (!pg_ensure (pg, error))
    return FALSE;
  pg->deadline_us = 0;
  pg->read_only = read_only;
  pg->sqlstate[0] = '\0'; /* forget the error of the previous transaction */
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

gboolean
pg_exec (Pg *pg, const char *sql, GError **error)
{
  if (!pg_ensure (pg, error))
    return FALSE;
  if (!pg_send_limits (pg, error))
    return FALSE;
  return pg_run_own (pg, sql, error);
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

void
pg_set_task (Pg *pg, const char *task)
{
  g_free (pg->task);
  pg->task = g_strdup (task);
}

gboolean
pg_commit (Pg *pg, GError **error)
{
  pg_set_task (pg, NULL);
  if (pg->begin_wanted) /* nothing was sent */
  {
    pg->begin_wanted = FALSE;
    return TRUE;
  }
  g_assert (pg->in_transaction);
  pg->deadline_us = 0;
  gboolean queued = pg->sent->len > 0; /* if a queued statement fails, COMMIT is skipped */
  if (pg->conn == NULL
      || (!queued
          && PQtransactionStatus (pg->conn) != PQTRANS_INTRANS)) /* COMMIT would answer ROLLBACK */
  {
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
                 "PostgreSQL: the transaction was lost before its commit");
    return FALSE;
  }
  if (!pg_run_own (pg, "COMMIT", error))
    return FALSE;
  pg->in_transaction = FALSE;
  return TRUE;
}

void
pg_rollback (Pg *pg)
{
  pg_set_task (pg, NULL);
  pg->begin_wanted = FALSE;
  pg->deadline_us = 0;
  if (!pg->in_transaction || pg->conn == NULL) {
    pg->in_transaction = FALSE;
    return;
  }
  g_autoptr (GError) ignored
      = NULL; /* if ROLLBACK fails, the connection is closed, which rolls back */
  if (pg->synced || pg->sent->len > 0)
    pg_close (pg);
  else if (!pg_run_own (pg, "ROLLBACK", &ignored))
    pg_close (pg);
  pg->in_transaction = FALSE;
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
