/* Statements and their answers: queued, sent together, taken in order. */
#include "base/clock.h"
#include "pg/pg_private.h"
#include "pg/rows_private.h"
#include "pg/statement.h"
#include "pg/verdict.h"

#include <errno.h>
#include <poll.h>

#define CANCELLED_US (2 * G_USEC_PER_SEC)
#define LOOK_US (G_USEC_PER_SEC / 2) /* how often to check for a cancel */

static void
remember (Pg *pg, SentKind kind, const PgStatement *statement)
{
  Sent sent = { kind, statement };
  g_array_append_val (pg->sent, sent);
}

gboolean
pg_send_own (Pg *pg, const char *sql, GError **error)
{
  if (!PQsendQueryParams (pg->conn, sql, 0, NULL, NULL, NULL, NULL, 0))
    return pg_fail_connection (pg, "cannot send", error);
  remember (pg, SENT_OWN, NULL);
  return TRUE;
}

static gboolean
send_prepare (Pg *pg, const PgStatement *statement, const char *name, GError **error)
{
  if (g_hash_table_contains (pg->prepared, name))
    return TRUE;
  if (!PQsendPrepare (pg->conn, name, statement->sql, 0, NULL))
    return pg_fail_connection (pg, "cannot send", error);
  g_hash_table_add (pg->prepared, (gpointer)name);
  remember (pg, SENT_PREPARE, statement);
  return TRUE;
}

gboolean
pg_send_bound (Pg *pg, SentKind kind, const PgStatement *statement, const char *const *bound,
               GError **error)
{
  const char *name = statement->on_server;
  gboolean prepare = pg->prepare && !statement->anew && !g_hash_table_contains (pg->refused, name);
  if (prepare && !send_prepare (pg, statement, name, error))
    return FALSE;
  int n = (int)statement->n_parameters;
  int sent = prepare ? PQsendQueryPrepared (pg->conn, name, n, bound, NULL, NULL, 0)
                     : PQsendQueryParams (pg->conn, statement->sql, n, NULL, bound, NULL, NULL, 0);
  if (!sent)
    return pg_fail_connection (pg, "cannot send", error);
  remember (pg, kind, statement);
  return TRUE;
}

gboolean
pg_queue (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  const char *bound[statement->n_parameters + 1];
  return pg_values_bind (values, statement, bound, error) && pg_ensure (pg, error)
         && pg_send_limits (pg, error) && pg_send_bound (pg, SENT_CALLER, statement, bound, error);
}

gboolean
pg_flush (Pg *pg, GError **error)
{
  if (pg->conn == NULL || !PQpipelineSync (pg->conn))
    return pg_fail_connection (pg, "cannot send", error);
  pg->synced = TRUE;
  return TRUE;
}

#define CUT_AGAIN_US                                                                               \
  (5 * G_USEC_PER_SEC) /* a cancel that arrives between two statements has no effect */

/* Cancels the running statement if the transaction's deadline is past. */
static void
cut_in_time (Pg *pg, gint64 now)
{
  if (pg->deadline_us == 0 || now < pg->deadline_us)
    return;
  pg_cut (pg);
  pg->deadline_us = now + CUT_AGAIN_US;
}

/* When to stop waiting for an answer: soon after a cancel, since a live server then answers
 * soon. */
static gint64
deadline_of (Pg *pg, gint64 began_us)
{
  gint64 cancelled_us = atomic_load (&pg->cancelled_us),
         deadline = began_us + pg->answer_ms * G_TIME_SPAN_MILLISECOND;
  return cancelled_us == 0 ? deadline : MIN (deadline, MAX (began_us, cancelled_us) + CANCELLED_US);
}

/* How long to wait before checking again for an answer, a cancel or the transaction's deadline. */
static int
look_ms (const Pg *pg, gint64 now, gint64 left_us)
{
  gint64 wait_us = MIN (left_us, LOOK_US);
  if (pg->deadline_us != 0)
    wait_us = MIN (wait_us, MAX (pg->deadline_us - now, 0));
  return (int)(wait_us / 1000) + 1;
}

/* Waits until PQgetResult will not block. */
static gboolean
wait_for_answer (Pg *pg, GError **error)
{
  gint64 began = clock_monotonic_us ();
  while (PQisBusy (pg->conn)) {
    int flushing = PQflush (pg->conn);
    struct pollfd fd = { PQsocket (pg->conn), (short)(POLLIN | (flushing == 1 ? POLLOUT : 0)), 0 };
    gint64 now = clock_monotonic_us (), left_us = deadline_of (pg, began) - now;
    cut_in_time (pg, now);
    if (left_us <= 0) {
      g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "PostgreSQL: no answer within %d s",
                   (int)((now - began) / G_USEC_PER_SEC));
      pg_close (pg);
      return FALSE;
    }
    if (poll (&fd, 1, look_ms (pg, now, left_us)) < 0 && errno != EINTR)
      return pg_fail_connection (pg, "poll", error);
    if (!PQconsumeInput (pg->conn))
      return pg_fail_connection (pg, "connection lost", error);
  }
  return TRUE;
}

/* The next answer; NULL with an error set if the connection is lost. */
static PGresult *
take_answer (Pg *pg, GError **error)
{
  for (;;) {
    if (pg->conn == NULL) {
      pg_fail_connection (pg, "connection lost", error);
      return NULL;
    }
    if (!wait_for_answer (pg, error))
      return NULL;
    PGresult *result = PQgetResult (pg->conn);
    if (result != NULL)
      return result;
    if (PQstatus (pg->conn) != CONNECTION_OK) {
      pg_fail_connection (pg, "connection lost", error);
      return NULL;
    }
  }
}

/* Takes and drops all answers up to the end of the pipeline. */
static gboolean
drain (Pg *pg, GError **error)
{
  while (pg->synced) {
    PGresult *result = take_answer (pg, error);
    if (result == NULL)
      return FALSE;
    if (PQresultStatus (result) == PGRES_PIPELINE_SYNC)
      pg->synced = FALSE;
    PQclear (result);
  }
  /* If the answer to a PREPARE was skipped, it is not known whether the statement is prepared. */
  for (guint i = pg->taken; i < pg->sent->len; i++)
    if (g_array_index (pg->sent, Sent, i).kind == SENT_PREPARE) {
      pg_close (pg);
      return TRUE;
    }
  g_array_set_size (pg->sent, 0);
  pg->taken = 0;
  return TRUE;
}

void
pg_fail_statement (Pg *pg, const PGresult *result, const PgStatement *statement, GError **error)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  g_strlcpy (pg->sqlstate, state != NULL ? state : "", sizeof pg->sqlstate);
  const char *position = PQresultErrorField (result, PG_DIAG_STATEMENT_POSITION);
  pg->position = position != NULL ? atoi (position) : 0;
  verdict_set_error (result, statement, atomic_load (&pg->cancelled_us) != 0, error);
  if (pg_is_class42 (pg)) /* cached rows can name a table or column that is gone */
    kept_clear (pg->kept);
  gboolean lost = PQstatus (pg->conn) != CONNECTION_OK || verdict_is_of_session (result);
  g_autoptr (GError) ignored = NULL;
  if (lost || !drain (pg, &ignored))
    pg_close (pg);
}

/* Takes the next result of the caller's statements; *ROWS stays NULL if there is none. Answers to
 * our own statements are checked and dropped. */
static gboolean
take_rows (Pg *pg, PgRows **rows, GError **error)
{
  while (*rows == NULL && pg->taken < pg->sent->len) {
    PGresult *result = take_answer (pg, error);
    if (result == NULL)
      return FALSE;
    Sent sent = g_array_index (pg->sent, Sent, pg->taken++);
    ExecStatusType status = PQresultStatus (result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      if (sent.kind == SENT_PREPARE) {
        g_hash_table_remove (pg->prepared, sent.statement->on_server);
        g_hash_table_add (pg->refused, (gpointer)sent.statement->on_server);
      }
      pg_fail_statement (pg, result, sent.statement, error);
      PQclear (result);
      return FALSE;
    }
    if (sent.kind == SENT_CALLER)
      *rows = rows_wrap (result);
    else
      PQclear (result);
  }
  return TRUE;
}

PgRows *
pg_next (Pg *pg, GError **error)
{
  PgRows *rows = NULL;
  if (!take_rows (pg, &rows, error))
    return NULL;
  g_assert (rows != NULL);
  return rows;
}

gboolean
pg_finish (Pg *pg, GError **error)
{
  while (pg->taken < pg->sent->len) {
    g_autoptr (PgRows) rows = NULL;
    if (!take_rows (pg, &rows, error))
      return FALSE;
  }
  return drain (pg, error);
}

PgRows *
pg_run (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  if (!pg_queue (pg, statement, values, error) || !pg_flush (pg, error))
    return NULL;
  PgRows *rows = pg_next (pg, error);
  if (rows != NULL && !drain (pg, error))
    g_clear_pointer (&rows, rows_free);
  return rows;
}

PgRows *
pg_run_file (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  return pg_run (pg, pg_statement (file), values, error);
}

gboolean
pg_run_own (Pg *pg, const char *sql, GError **error)
{
  if (!pg_send_own (pg, sql, error) || !pg_flush (pg, error))
    return FALSE;
  return pg_finish (pg, error);
}
