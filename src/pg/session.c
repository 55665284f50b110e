/* A session: closed on the first error, cancelled from any thread. */
#include "base/clock.h"
#include "base/log.h"
#include "pg/discreet.h"
#include "pg/pg_private.h"

#include <string.h>

Pg *
pg_new (const PgSettings *settings)
{
  Pg *pg = g_new0 (Pg, 1);
  pg->url = g_strdup (settings->url);
  pg->app_schema = g_strdup (settings->app_schema);
  pg->extension_schemas = g_strdup (settings->extension_schemas);
  pg->name = g_strdup (settings->name);
  pg->prepare = settings->prepare;
  pg->plans = settings->plans;
  pg->asks_commits = settings->asks_commits;
  pg->may_commit = settings->may_commit;
  pg->answer_ms = settings->answer_ms > 0 ? settings->answer_ms : ANSWER_TIMEOUT_MS;
  pg->sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  pg->prepared = g_hash_table_new (g_str_hash, g_str_equal);
  pg->refused = g_hash_table_new (g_str_hash, g_str_equal);
  pg->kept = kept_new ();
  pg->changed = g_ptr_array_new ();
  pg->unsettled = g_string_new (NULL);
  pthread_mutex_init (&pg->cancel_lock, NULL);
  return pg;
}

void
pg_close (Pg *pg)
{
  pthread_mutex_lock (&pg->cancel_lock);
  g_clear_pointer (&pg->canceller, canceller_unref);
  pthread_mutex_unlock (&pg->cancel_lock);
  g_clear_pointer (&pg->conn, PQfinish);
  pg->tainted = FALSE;
  g_array_set_size (pg->sent, 0);
  g_hash_table_remove_all (pg->prepared);
  g_hash_table_remove_all (pg->refused);
  kept_clear (pg->kept);
  pg->taken = 0;
  pg->synced = pg->begin_wanted = pg->in_transaction = pg->stirred = FALSE;
}

void
pg_free (Pg *pg)
{
  if (pg == NULL)
    return;
  pg_close (pg);
  g_array_free (pg->sent, TRUE);
  g_hash_table_destroy (pg->prepared);
  g_hash_table_destroy (pg->refused);
  kept_free (pg->kept);
  g_ptr_array_unref (pg->changed);
  g_string_free (pg->unsettled, TRUE);
  pthread_mutex_destroy (&pg->cancel_lock);
  g_free (pg->url);
  g_free (pg->app_schema);
  g_free (pg->extension_schemas);
  g_free (pg->name);
  g_free (pg->task);
  g_free (pg->role);
  g_free (pg->number);
  g_free (pg->server);
  g_free (pg);
}

void
pg_act_as (Pg *pg, const char *role)
{
  g_free (pg->role);
  pg->role = g_strdup (role);
}

gboolean
pg_fail_connection (Pg *pg, const char *doing, GError **error)
{
  g_autofree char *words = discreet_connection (
      pg->url, pg->conn, pg->conn != NULL ? PQerrorMessage (pg->conn) : "no connection");
  g_strchomp (words);
  g_strdelimit (words, "\n", ' ');
  pg->sqlstate[0] = '\0';
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, PG_AWAY "%s: %s", doing, words);
  pg_close (pg);
  return FALSE;
}

gboolean
pg_is_away (const GError *error)
{
  return error->code == PRUNED_OUTAGE && strstr (error->message, PG_AWAY) != NULL;
}

gboolean
pg_is_idle (const Pg *pg)
{
  return pg->conn != NULL && !pg->tainted && !pg_in_transaction (pg)
         && PQconsumeInput (pg->conn) != 0 && PQstatus (pg->conn) == CONNECTION_OK;
}

gboolean
pg_is_read_only (const Pg *pg)
{
  return pg->conn != NULL
         && (g_strcmp0 (PQparameterStatus (pg->conn, "default_transaction_read_only"), "on") == 0
             || g_strcmp0 (PQparameterStatus (pg->conn, "in_hot_standby"), "on") == 0);
}

gboolean
pg_is_unchecked (const Pg *pg)
{
  return pg->conn != NULL
         && g_strcmp0 (PQparameterStatus (pg->conn, "server_encoding"), "SQL_ASCII") == 0;
}

static void
ask_to_cancel (Pg *pg)
{
  pthread_mutex_lock (&pg->cancel_lock);
  if (pg->canceller != NULL)
    canceller_ask (pg->canceller);
  pthread_mutex_unlock (&pg->cancel_lock);
}

void
pg_cancel (Pg *pg)
{
  atomic_store (&pg->cancelled_us, clock_monotonic_us ());
  ask_to_cancel (pg);
}

void
pg_cut (Pg *pg)
{
  pg->tainted = TRUE; /* the cancel can arrive late, and would then hit another statement */
  ask_to_cancel (pg);
}

void
pg_set_deadline (Pg *pg, gint64 deadline_us)
{
  pg->deadline_us = deadline_us;
}

void
pg_set_most (Pg *pg, int statement_ms, gint64 until_us)
{
  pg->statement_ms = statement_ms;
  pg->until_us = until_us;
}

void
pg_cancel_clear (Pg *pg)
{
  if (atomic_exchange (&pg->cancelled_us, 0) != 0)
    pg->tainted = TRUE;
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
pg_is_no_value (const Pg *pg)
{
  return strncmp (pg->sqlstate, "22", 2) == 0 || strcmp (pg->sqlstate, "23514") == 0
         || strcmp (pg->sqlstate, "23502") == 0;
}

PgLock
pg_lock (const Pg *pg)
{
  return pg->lock;
}

gboolean
pg_is_in_doubt (const Pg *pg)
{
  return pg->in_doubt;
}

gboolean
pg_is_hidden (const Pg *pg)
{
  return pg->hidden;
}

gboolean
pg_is_too_large (const Pg *pg)
{
  return strncmp (pg->sqlstate, "54", 2) == 0;
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
