#include "engine/ledger/database.h"

#include "pg/timeline.h"

#define SQL "src/engine/ledger/sql/"

gboolean
database_is_there (Pg *pg, gboolean *there, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "identity_there.sql", NULL, error);
  *there = rows != NULL && rows_bool (rows, 0, "there");
  return rows != NULL;
}

gboolean
database_look (Pg *pg, Origin *origin, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "identity_read.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  origin_clear (origin);
  *origin = (Origin){ .database = g_strdup (rows_text (rows, 0, "database")),
                      .name = g_utf8_make_valid (rows_text (rows, 0, "name"), -1),
                      .host = pg_host (pg),
                      .moved = !rows_bool (rows, 0, "same"),
                      .system = g_strdup (rows_text (rows, 0, "system")),
                      .timeline = timeline_newest (rows_text (rows, 0, "system"), NULL) };
  return TRUE;
}

gboolean
database_check (const Origin *origin, GError **error)
{
  if (origin->database == NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "database %s on %s has no identity: pruned.identity is empty; run: pruned migrate",
                 origin->name, origin->host);
  else if (origin->moved)
    g_set_error (
        error, PRUNED_ERROR, PRUNED_FATAL,
        "database %s on %s is a copy, or has moved: it got its identity %s on another server, or as another database."
        " If the other one goes on, give this one a [topics] prefix of its own and run: pruned migrate --identity new;"
        " if this one takes its place: pruned migrate --identity keep",
        origin->name, origin->host, origin->database);
  return origin->database != NULL && !origin->moved;
}

gboolean
database_put (Pg *pg, gboolean anew, char **database, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "anew", anew ? "true" : "false");
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "identity_put.sql", values, error);
  if (rows == NULL)
    return FALSE;
  *database = g_strdup (rows_text (rows, 0, "database"));
  return TRUE;
}
