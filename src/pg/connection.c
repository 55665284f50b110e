/* A connection: made when it is needed, closed on the first trouble, cancelled from any thread. */
#include "base/log.h"
#include "pg/pg_private.h"

#include <string.h>

#define CONNECT_TIMEOUT_S "5"
#define ANSWER_TIMEOUT_MS 30000 /* twice the statement_timeout */

Pg *
pg_new (const PgSettings *settings)
{
  Pg *pg = g_new0 (Pg, 1);
  pg->url = g_strdup (settings->url);
  pg->app_schema = g_strdup (settings->app_schema);
  pg->name = g_strdup (settings->name);
  pg->prepare = settings->prepare;
  pg->plans = settings->plans;
  pg->answer_ms = settings->answer_ms > 0 ? settings->answer_ms : ANSWER_TIMEOUT_MS;
  pg->sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  pg->prepared = g_hash_table_new (NULL, NULL);
  pg->kept = kept_new ();
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
  kept_clear (pg->kept);
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
  kept_free (pg->kept);
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

gboolean
pg_fail_connection (Pg *pg, const char *doing, GError **error)
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
  if (pg_in_transaction (pg)) /* what follows must not be done without what came before */
    return pg_fail_connection (pg, "connection lost in a transaction", error);
  pg_close (pg);
  const char *names[] = { "connect_timeout",    "keepalives_idle", "keepalives_interval", "keepalives_count",
                          "tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding", NULL };
  const char *values[] = { CONNECT_TIMEOUT_S, "10", "5", "3", "20000", pg->name, pg->url, "UTF8", NULL };
  pg->conn = PQconnectdbParams (names, values, 1);
  if (PQstatus (pg->conn) != CONNECTION_OK)
    return pg_fail_connection (pg, "cannot connect", error);
  PQsetNoticeProcessor (pg->conn, drop_notice, NULL);
  if (!PQenterPipelineMode (pg->conn))
    return pg_fail_connection (pg, "cannot use pipelines", error);
  pthread_mutex_lock (&pg->cancel_lock);
  pg->cancel = PQgetCancel (pg->conn);
  pthread_mutex_unlock (&pg->cancel_lock);
  pg->connections++;
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

static void *
cut_thread (void *data)
{
  char words[256];
  (void)PQcancel (data, words, sizeof words);
  PQfreeCancel (data);
  return NULL;
}

/* A server that hangs takes its time for this too: not the caller's. */
void
pg_cut (Pg *pg)
{
  PGcancel *cancel = PQgetCancel (pg->conn);
  pthread_attr_t detached;
  pthread_t thread;
  pthread_attr_init (&detached);
  pthread_attr_setdetachstate (&detached, PTHREAD_CREATE_DETACHED);
  if (cancel != NULL && pthread_create (&thread, &detached, cut_thread, cancel) != 0)
    PQfreeCancel (cancel);
  pthread_attr_destroy (&detached);
}

void
pg_set_deadline (Pg *pg, gint64 deadline_us)
{
  pg->deadline_us = deadline_us;
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

guint
pg_connections (const Pg *pg)
{
  return pg->connections;
}

int
pg_server_version (const Pg *pg)
{
  return pg->conn != NULL ? PQserverVersion (pg->conn) : 0;
}

char *
pg_library_version (void)
{
  int version = PQlibVersion ();
  return g_strdup_printf ("%d.%d", version / 10000, version % 10000);
}
