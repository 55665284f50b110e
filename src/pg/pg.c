/* A connection is always in pipeline mode: one statement is a pipeline of one. What was queued is remembered in order
 * (`sent`), because the answers to our own BEGIN, limits and PREPARE come in between those of the caller.
 */
#include "pg/pg.h"

#include "base/clock.h"
#include "base/log.h"
#include "pg/rows_private.h"
#include "pg/statement.h"
#include "pg/verdict.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define CONNECT_TIMEOUT_S "5"
#define ANSWER_TIMEOUT_MS 30000 /* twice the statement_timeout */

typedef enum { SENT_OWN, SENT_PREPARE, SENT_CALLER } SentKind;
typedef struct {
  SentKind kind;
  const PgStatement *statement;
} Sent;

struct _Pg {
  char *url, *app_schema, *name;
  gboolean prepare;
  int answer_ms;
  PGconn *conn;
  GArray *sent;         /* of Sent: answers not yet taken */
  guint taken;          /* how many of them were */
  gboolean synced;      /* the end of the pipeline was sent */
  gboolean begin_wanted, read_only, in_transaction;
  GHashTable *prepared; /* statements that this connection knows, or will when its pipeline has gone through */
  char sqlstate[6];
  pthread_mutex_t cancel_lock;
  PGcancel *cancel;
  atomic_bool cancelled;
};

Pg *
pg_new (const PgSettings *settings)
{
  Pg *pg = g_new0 (Pg, 1);
  pg->url = g_strdup (settings->url);
  pg->app_schema = g_strdup (settings->app_schema);
  pg->name = g_strdup (settings->name);
  pg->prepare = settings->prepare;
  pg->answer_ms = settings->answer_ms > 0 ? settings->answer_ms : ANSWER_TIMEOUT_MS;
  pg->sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  pg->prepared = g_hash_table_new (NULL, NULL);
  pthread_mutex_init (&pg->cancel_lock, NULL);
  return pg;
}

void
pg_close (Pg *pg)
{
  pthread_mutex_lock (&pg->cancel_lock);
  g_clear_pointer (&pg->cancel, PQfreeCancel);
  pthread_mutex_unlock (&pg->cancel_lock);
  g_clear_pointer (&pg->conn, PQfinish);
  g_array_set_size (pg->sent, 0);
  g_hash_table_remove_all (pg->prepared);
  pg->taken = 0;
  pg->synced = pg->begin_wanted = pg->in_transaction = FALSE;
}

void
pg_free (Pg *pg)
{
  if (pg == NULL)
    return;
  pg_close (pg);
  g_array_free (pg->sent, TRUE);
  g_hash_table_destroy (pg->prepared);
  pthread_mutex_destroy (&pg->cancel_lock);
  g_free (pg->url);
  g_free (pg->app_schema);
  g_free (pg->name);
  g_free (pg);
}

static void
drop_notice (void *arg, const char *message)
{
  log_debug ("PostgreSQL notice", "notice", message);
}

static gboolean
fail_connection (Pg *pg, const char *doing, GError **error)
{
  g_autofree char *words = g_strdup (pg->conn != NULL ? PQerrorMessage (pg->conn) : "no connection");
  g_strchomp (words);
  g_strdelimit (words, "\n", ' ');
  pg->sqlstate[0] = '\0';
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "PostgreSQL: %s: %s", doing, words);
  pg_close (pg);
  return FALSE;
}

gboolean
pg_ensure (Pg *pg, GError **error)
{
  if (pg->conn != NULL && PQstatus (pg->conn) == CONNECTION_OK)
    return TRUE;
  pg_close (pg);
  const char *names[] = { "connect_timeout",    "keepalives_idle", "keepalives_interval", "keepalives_count",
                          "tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding", NULL };
  const char *values[] = { CONNECT_TIMEOUT_S, "10", "5", "3", "20000", pg->name, pg->url, "UTF8", NULL };
  pg->conn = PQconnectdbParams (names, values, 1);
  if (PQstatus (pg->conn) != CONNECTION_OK)
    return fail_connection (pg, "cannot connect", error);
  PQsetNoticeProcessor (pg->conn, drop_notice, NULL);
  if (!PQenterPipelineMode (pg->conn))
    return fail_connection (pg, "cannot use pipelines", error);
  pthread_mutex_lock (&pg->cancel_lock);
  pg->cancel = PQgetCancel (pg->conn);
  pthread_mutex_unlock (&pg->cancel_lock);
  return TRUE;
}

void
pg_cancel (Pg *pg)
{
  char words[256];
  atomic_store (&pg->cancelled, true);
  pthread_mutex_lock (&pg->cancel_lock);
  if (pg->cancel != NULL)
    (void)PQcancel (pg->cancel, words, sizeof words);
  pthread_mutex_unlock (&pg->cancel_lock);
}

void
pg_cancel_clear (Pg *pg)
{
  atomic_store (&pg->cancelled, false);
}

gboolean
pg_in_transaction (const Pg *pg)
{
  return pg->in_transaction || pg->begin_wanted;
}

const char *
pg_sqlstate (const Pg *pg)
{
  return pg->sqlstate;
}

gboolean
pg_is_class42 (const Pg *pg)
{
  return strncmp (pg->sqlstate, "42", 2) == 0;
}

int
pg_server_version (const Pg *pg)
{
  return pg->conn != NULL ? PQserverVersion (pg->conn) : 0;
}

static void
remember (Pg *pg, SentKind kind, const PgStatement *statement)
{
  Sent sent = { kind, statement };
  g_array_append_val (pg->sent, sent);
}

static gboolean
send_own (Pg *pg, const char *sql, const char *parameter, GError **error)
{
  if (!PQsendQueryParams (pg->conn, sql, parameter != NULL ? 1 : 0, NULL, &parameter, NULL, NULL, 0))
    return fail_connection (pg, "cannot send", error);
  remember (pg, SENT_OWN, NULL);
  return TRUE;
}

/* The limits of every transaction (DESIGN 3), as settings of the transaction only. No jit: the planner's guess at a page's cost
 * can be far too high, and compiling took 5 s of a statement of 10 ms. */
#define LIMITS                                                                                     \
  "SELECT set_config('search_path', format('%I, pg_catalog', $1::text), true),"                    \
  " set_config('statement_timeout', '15s', true), set_config('lock_timeout', '2s', true),"         \
  " set_config('idle_in_transaction_session_timeout', '10s', true),"                               \
  " set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true), set_config('jit', 'off', true)"

static gboolean
send_begin (Pg *pg, GError **error)
{
  pg->begin_wanted = FALSE;
  pg->in_transaction = TRUE;
  return send_own (pg, pg->read_only ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN", NULL, error)
         && send_own (pg, LIMITS, pg->app_schema, error);
}

static gboolean
begin (Pg *pg, gboolean read_only, GError **error)
{
  g_assert (!pg_in_transaction (pg));
  if (!pg_ensure (pg, error))
    return FALSE;
  pg->read_only = read_only;
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

static gboolean
send_prepare (Pg *pg, const PgStatement *statement, const char *name, GError **error)
{
  if (g_hash_table_contains (pg->prepared, statement))
    return TRUE;
  if (!PQsendPrepare (pg->conn, name, statement->sql, 0, NULL))
    return fail_connection (pg, "cannot send", error);
  g_hash_table_add (pg->prepared, (gpointer)statement);
  remember (pg, SENT_PREPARE, statement);
  return TRUE;
}

gboolean
pg_queue (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_values_bind (values, statement, bound, error) || !pg_ensure (pg, error))
    return FALSE;
  if (pg->begin_wanted && !send_begin (pg, error))
    return FALSE;
  char name[24];
  g_snprintf (name, sizeof name, "pruned_%u", statement->id);
  if (pg->prepare && !send_prepare (pg, statement, name, error))
    return FALSE;
  int n = (int)statement->n_parameters;
  int sent = pg->prepare ? PQsendQueryPrepared (pg->conn, name, n, bound, NULL, NULL, 0)
                         : PQsendQueryParams (pg->conn, statement->sql, n, NULL, bound, NULL, NULL, 0);
  if (!sent)
    return fail_connection (pg, "cannot send", error);
  remember (pg, SENT_CALLER, statement);
  return TRUE;
}

gboolean
pg_flush (Pg *pg, GError **error)
{
  if (pg->conn == NULL || !PQpipelineSync (pg->conn))
    return fail_connection (pg, "cannot send", error);
  pg->synced = TRUE;
  return TRUE;
}

/* Waits until PQgetResult will not block. */
static gboolean
wait_for_answer (Pg *pg, GError **error)
{
  gint64 deadline = clock_monotonic_us () + pg->answer_ms * G_TIME_SPAN_MILLISECOND;
  while (PQisBusy (pg->conn))
    {
      int flushing = PQflush (pg->conn);
      struct pollfd fd = { PQsocket (pg->conn), (short)(POLLIN | (flushing == 1 ? POLLOUT : 0)), 0 };
      int left_ms = (int)((deadline - clock_monotonic_us ()) / 1000);
      if (left_ms <= 0)
        {
          g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "PostgreSQL: no answer within %d s",
                       pg->answer_ms / 1000);
          pg_close (pg);
          return FALSE;
        }
      if (poll (&fd, 1, left_ms) < 0 && errno != EINTR)
        return fail_connection (pg, "poll", error);
      if (!PQconsumeInput (pg->conn))
        return fail_connection (pg, "connection lost", error);
    }
  return TRUE;
}

/* The answer to the next thing that was sent; NULL with an error set on a lost connection. */
static PGresult *
take_answer (Pg *pg, GError **error)
{
  for (;;)
    {
      if (pg->conn == NULL)
        {
          fail_connection (pg, "connection lost", error);
          return NULL;
        }
      if (!wait_for_answer (pg, error))
        return NULL;
      PGresult *result = PQgetResult (pg->conn);
      if (result != NULL)
        return result;
      if (PQstatus (pg->conn) != CONNECTION_OK)
        {
          fail_connection (pg, "connection lost", error);
          return NULL;
        }
    }
}

/* Takes everything up to the end of the pipeline. */
static gboolean
drain (Pg *pg, GError **error)
{
  while (pg->synced)
    {
      PGresult *result = take_answer (pg, error);
      if (result == NULL)
        return FALSE;
      if (PQresultStatus (result) == PGRES_PIPELINE_SYNC)
        pg->synced = FALSE;
      PQclear (result);
    }
  /* A PREPARE whose answer was skipped may or may not have happened. */
  for (guint i = pg->taken; i < pg->sent->len; i++)
    if (g_array_index (pg->sent, Sent, i).kind == SENT_PREPARE)
      {
        pg_close (pg);
        return TRUE;
      }
  g_array_set_size (pg->sent, 0);
  pg->taken = 0;
  return TRUE;
}

static void
fail_statement (Pg *pg, const PGresult *result, const PgStatement *statement, GError **error)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  g_strlcpy (pg->sqlstate, state != NULL ? state : "", sizeof pg->sqlstate);
  verdict_set_error (result, statement != NULL ? statement->name : NULL, atomic_load (&pg->cancelled), error);
  gboolean lost = PQstatus (pg->conn) != CONNECTION_OK;
  g_autoptr (GError) ignored = NULL;
  if (lost || !drain (pg, &ignored))
    pg_close (pg);
}

/* The next result that the caller waits for; *ROWS stays NULL if there is none. Answers to what we sent ourselves are only
 * looked at. */
static gboolean
take_rows (Pg *pg, PgRows **rows, GError **error)
{
  while (*rows == NULL && pg->taken < pg->sent->len)
    {
      PGresult *result = take_answer (pg, error);
      if (result == NULL)
        return FALSE;
      Sent sent = g_array_index (pg->sent, Sent, pg->taken++);
      ExecStatusType status = PQresultStatus (result);
      if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        {
          if (sent.kind == SENT_PREPARE)
            g_hash_table_remove (pg->prepared, sent.statement);
          fail_statement (pg, result, sent.statement, error);
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
  while (pg->taken < pg->sent->len)
    {
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

static gboolean
run_own (Pg *pg, const char *sql, GError **error)
{
  if (!send_own (pg, sql, NULL, error) || !pg_flush (pg, error))
    return FALSE;
  return pg_finish (pg, error);
}

gboolean
pg_exec (Pg *pg, const char *sql, GError **error)
{
  if (!pg_ensure (pg, error))
    return FALSE;
  if (pg->begin_wanted && !send_begin (pg, error))
    return FALSE;
  return run_own (pg, sql, error);
}

/* Several statements at once are refused in pipeline mode. */
gboolean
pg_script (Pg *pg, const char *sql, GError **error)
{
  if (pg->begin_wanted ? !pg_exec (pg, "SELECT", error) : !pg_ensure (pg, error))
    return FALSE;
  if (!PQexitPipelineMode (pg->conn))
    return fail_connection (pg, "cannot leave pipeline mode", error);
  PGresult *result = PQexec (pg->conn, sql);
  ExecStatusType status = PQresultStatus (result);
  gboolean done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
  if (!done)
    fail_statement (pg, result, NULL, error);
  PQclear (result);
  if (pg->conn != NULL && !PQenterPipelineMode (pg->conn))
    return done ? fail_connection (pg, "cannot use pipelines", error) : FALSE;
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
  if (pg->conn == NULL || PQtransactionStatus (pg->conn) != PQTRANS_INTRANS) /* COMMIT would answer ROLLBACK */
    {
      g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "PostgreSQL: the transaction was lost before its commit");
      return FALSE;
    }
  if (!run_own (pg, "COMMIT", error))
    return FALSE;
  pg->in_transaction = FALSE;
  return TRUE;
}

void
pg_rollback (Pg *pg)
{
  pg->begin_wanted = FALSE;
  if (!pg->in_transaction || pg->conn == NULL)
    {
      pg->in_transaction = FALSE;
      return;
    }
  g_autoptr (GError) ignored = NULL; /* a connection that cannot roll back is closed, which does */
  if (pg->synced || pg->sent->len > 0)
    pg_close (pg);
  else if (!run_own (pg, "ROLLBACK", &ignored))
    pg_close (pg);
  pg->in_transaction = FALSE;
}

char *
pg_library_version (void)
{
  int version = PQlibVersion ();
  return g_strdup_printf ("%d.%d", version / 10000, version % 10000);
}
