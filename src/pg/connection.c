/* A connection: opened when needed. */
#include "base/log.h"
#include "pg/discreet.h"
#include "pg/hosts.h"
#include "pg/pg_private.h"
#include "pg/timeline.h"

#define CONNECT_TIMEOUT_S 5
#define CONNECT_LEAST_S 2 /* libpq's minimum */

static void
drop_notice (void *arg, const PGresult *notice)
{
  g_autofree char *words = discreet_words (notice);
  log_debug ("PostgreSQL notice", "notice", words);
}

static void
start_connection (const char *const *names, const char *const *values, gpointer result)
{
  *(PGconn **)result = PQconnectdbParams (names, values, 1);
}

static void
ping (const char *const *names, const char *const *values, gpointer result)
{
  *(PGPing *)result = PQpingParams (names, values, 1);
}

/* Calls a libpq function with all connection parameters; HOST: not all hosts of the url, only this
 * one. */
static void
connect_to (const Pg *pg, const Host *host,
            void (*way) (const char *const *names, const char *const *values, gpointer result),
            gpointer result)
{
  g_autofree char *timeout
      = g_strdup_printf ("%d", CLAMP (pg->answer_ms / 1000, CONNECT_LEAST_S, CONNECT_TIMEOUT_S));
  const char *names[] = { "connect_timeout",
                          "keepalives_idle",
                          "keepalives_interval",
                          "keepalives_count",
                          "tcp_user_timeout",
                          "fallback_application_name",
                          "dbname",
                          "client_encoding",
                          host != NULL ? "host" : NULL,
                          "port",
                          NULL };
  const char *values[] = { timeout,
                           "10",
                           "5",
                           "3",
                           "20000",
                           pg->name,
                           pg->url,
                           "UTF8",
                           host != NULL ? host->host : NULL,
                           host != NULL ? host->port : NULL,
                           NULL };
  way (names, values, result);
}

gboolean
pg_is_up (const Pg *pg)
{
  PGPing answer = PQPING_NO_ATTEMPT;
  connect_to (pg, NULL, ping, &answer);
  return answer == PQPING_OK;
}

static gboolean
open_connection (Pg *pg, const Host *host, GError **error)
{
  pg_close (pg);
  connect_to (pg, host, start_connection, &pg->conn);
  if (PQstatus (pg->conn) != CONNECTION_OK)
    return pg_fail_connection (pg, "cannot connect", error);
  PQsetNoticeReceiver (pg->conn, drop_notice, NULL);
  /* Non-blocking: else a stalled server would block a thread that sends more than the sockets
   * buffer. */
  if (PQsetnonblocking (pg->conn, 1) != 0)
    return pg_fail_connection (pg, "cannot be non-blocking", error);
  pthread_mutex_lock (&pg->cancel_lock);
  pg->canceller = canceller_new (pg->conn);
  pthread_mutex_unlock (&pg->cancel_lock);
  pg->takes_task = g_strcmp0 (PQparameterStatus (pg->conn, "application_name"), pg->name) == 0;
  pg->connections++;
  if (!timeline_check (pg, error))
    return FALSE;
  return PQenterPipelineMode (pg->conn) != 0
         || pg_fail_connection (pg, "cannot use pipelines", error);
}

/* libpq has found a server that was left behind: the other hosts of the url, one by one. */
static gboolean
open_another (Pg *pg, const GError *why)
{
  g_autoptr (GPtrArray) hosts = hosts_of (pg->url);
  gboolean open = FALSE;
  for (guint i = 0; i < hosts->len && !open; i++)
    open = open_connection (pg, hosts->pdata[i], NULL);
  if (open)
    log_warning_every (60, "left behind",
                       "A server was left behind; another host of the url is used", why->message);
  return open;
}

gboolean
pg_ensure (Pg *pg, GError **error)
{
  GError *cause = NULL;
  if (pg->tainted && !pg_in_transaction (pg))
    pg_close (pg);
  if (pg->conn != NULL && PQstatus (pg->conn) == CONNECTION_OK)
    return TRUE;
  if (pg_in_transaction (pg)) /* a new connection would lack the transaction's earlier statements */
    return pg_fail_connection (pg, "connection lost in a transaction", error);
  pg->left_behind = FALSE;
  if (open_connection (pg, NULL, &cause) || (pg->left_behind && open_another (pg, cause))) {
    g_clear_error (&cause);
    return TRUE;
  }
  g_propagate_error (error, cause);
  return FALSE;
}
