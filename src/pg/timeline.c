#include "pg/timeline.h"

#include "base/log.h"
#include "pg/pg_private.h"

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
check (Pg *pg, const PgRows *rows, GError **error)
{
  const char *digits = rows_text (rows, 0, "timeline");
  const gint64 timeline = digits != NULL ? g_ascii_strtoll (digits, NULL, 16) : 0;
  g_autofree char *host = pg_host (pg);
  const gint64 known = timeline > 0 ? meet (rows_text (rows, 0, "system"), timeline, host) : 0;
  if (timeline >= known)
    return TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
               PG_AWAY "%s was left behind: its timeline is %" G_GINT64_FORMAT
                       ", and this process has met a server with %" G_GINT64_FORMAT
                       ", which was promoted since; end the old one, or make it a standby",
               host, timeline, known);
  pg_close (pg);
  return FALSE;
}

gboolean
timeline_check (Pg *pg, GError **error)
{
  GError *cause = NULL;
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/pg/sql/timeline.sql", NULL, &cause);
  if (rows != NULL)
    return check (pg, rows, error);
  if (pg->conn == NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  log_debug ("PostgreSQL does not say its timeline", "error", cause->message);
  g_error_free (cause);
  pg->sqlstate[0] = '\0';
  return TRUE;
}
