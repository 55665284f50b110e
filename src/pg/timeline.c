#include "pg/timeline.h"

#include "base/log.h"
#include "pg/discreet.h"
#include "pg/pg_private.h"
#include "pg/statement.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *servers; /* under lock; system identifier -> Server */

typedef struct {
  gint64 timeline;
  char *host;
} Server;

static void
server_free (gpointer data)
{
  Server *server = data;
  g_free (server->host);
  g_free (server);
}

gint64
timeline_newest (const char *system, char **host)
{
  pthread_mutex_lock (&lock);
  const Server *server
      = servers != NULL && system != NULL ? g_hash_table_lookup (servers, system) : NULL;
  const gint64 timeline = server != NULL ? server->timeline : 0;
  if (server != NULL && host != NULL)
    *host = g_strdup (server->host);
  pthread_mutex_unlock (&lock);
  return timeline;
}

/* The newest timeline of SYSTEM, with that of HOST. */
static gint64
meet (const char *system, gint64 timeline, const char *host)
{
  pthread_mutex_lock (&lock);
  if (servers == NULL)
    servers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, server_free);
  const Server *server = g_hash_table_lookup (servers, system);
  gint64 known = server != NULL ? server->timeline : 0;
  if (timeline > known) {
    Server *newest = g_new (Server, 1);
    *newest = (Server){ timeline, g_strdup (host) };
    g_hash_table_insert (servers, g_strdup (system), newest);
    known = timeline;
  }
  pthread_mutex_unlock (&lock);
  return known;
}

static gboolean
check (Pg *pg, const char *system, const char *digits, GError **error)
{
  const gint64 timeline = g_ascii_strtoll (digits, NULL, 16);
  g_autofree char *host = pg_host (pg);
  const gint64 known = timeline > 0 ? meet (system, timeline, host) : 0;
  if (timeline >= known)
    return TRUE;
  pg->left_behind = TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
               PG_AWAY "%s was left behind: its timeline is %" G_GINT64_FORMAT
                       ", and this process has met a server with %" G_GINT64_FORMAT
                       ", which was promoted since; end the old one, or make it a standby",
               host, timeline, known);
  pg_close (pg);
  return FALSE;
}

/* Takes all answers up to the end; *FIRST is the first one. */
static gboolean
take_answers (Pg *pg, PGresult **first, GError **error)
{
  for (;;) {
    if (!pg_wait (pg, error))
      return FALSE;
    PGresult *result = PQgetResult (pg->conn);
    if (result == NULL)
      break;
    if (*first == NULL)
      *first = result;
    else
      PQclear (result);
  }
  return PQstatus (pg->conn) == CONNECTION_OK || pg_fail_connection (pg, "connection lost", error);
}

gboolean
timeline_check (Pg *pg, GError **error)
{
  PGresult *first = NULL;
  if (!PQsendQuery (pg->conn, pg_statement ("src/pg/sql/timeline.sql")->sql))
    return pg_fail_connection (pg, "cannot send", error);
  gboolean well = take_answers (pg, &first, error);
  if (well && first != NULL && PQresultStatus (first) != PGRES_TUPLES_OK) {
    g_autofree char *words = discreet_words (first);
    log_debug ("PostgreSQL does not say its timeline", "error", words);
  } else if (well && PQntuples (first) == 1)
    well = check (pg, PQgetvalue (first, 0, 0), PQgetvalue (first, 0, 1), error);
  PQclear (first);
  return well;
}
