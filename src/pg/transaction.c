/* Transactions: each sets its own limits, a statement outside one too; BEGIN goes out with the
 * first statement. */
#include "base/fault.h"
#include "pg/pg_private.h"

/* The limits of every transaction (docs/rules.md), as settings of the transaction only. No jit: the
 * planner's guess at a page's cost can be far too high, and compiling took 5 s of a statement of 10
 * ms. PostgreSQL's own names come first, and nobody's temporary tables before the application's: a
 * path without pg_temp begins with it. This one runs before there is a path: it names all. */
#define LIMITS                                                                                                          \
  "SELECT pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %I, pg_temp', :app_schema::text), true)," \
  " pg_catalog.set_config('statement_timeout', '15s', true), pg_catalog.set_config('lock_timeout', '2s', true),"        \
  " pg_catalog.set_config('idle_in_transaction_session_timeout', '10s', true),"                                         \
  " pg_catalog.set_config('timezone', 'UTC', true), pg_catalog.set_config('datestyle', 'ISO', true),"                   \
  " pg_catalog.set_config('jit', 'off', true)"

static gboolean
send_limits (Pg *pg, GError **error)
{
  gint plans = pg->plans != NULL ? g_atomic_int_get (pg->plans) : 0;
  if (plans != pg->plans_made && !pg_send_own (pg, "DISCARD PLANS", error))
    return FALSE;
  pg->plans_made = plans;
  const char *bound[] = { pg->app_schema };
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
  pg->sqlstate[0] = '\0'; /* what fails from here on is not what failed before */
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

/* Several statements at once are refused in pipeline mode. */
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
pg_commit (Pg *pg, GError **error)
{
  if (pg->begin_wanted) /* nothing was ever sent */
  {
    pg->begin_wanted = FALSE;
    return TRUE;
  }
  g_assert (pg->in_transaction);
  pg->deadline_us = 0;
  gboolean queued = pg->sent->len > 0; /* if one of these fails, COMMIT is skipped */
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
  pg->begin_wanted = FALSE;
  pg->deadline_us = 0;
  if (!pg->in_transaction || pg->conn == NULL) {
    pg->in_transaction = FALSE;
    return;
  }
  g_autoptr (GError) ignored = NULL; /* a connection that cannot roll back is closed, which does */
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
