/* Answers: taken in the order in which send.c queued the statements. */
#include "base/clock.h"
#include "pg/path.h"
#include "pg/pg_private.h"
#include "pg/rows_private.h"
#include "pg/statement.h"
#include "pg/verdict.h"

/* The next answer; NULL with an error set if the connection is lost. */
static PGresult *
take_answer (Pg *pg, GError **error)
{
  for (;;) {
    if (pg->conn == NULL) {
      pg_fail_connection (pg, "connection lost", error);
      return NULL;
    }
    if (!pg_wait (pg, error))
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

/* The server skips what stands behind an error: what it has not prepared is prepared again. */
static void
pass_answer (Pg *pg, ExecStatusType status)
{
  if (pg->taken >= pg->sent->len)
    return;
  Sent sent = g_array_index (pg->sent, Sent, pg->taken++);
  if (sent.kind == SENT_PREPARE && status != PGRES_COMMAND_OK)
    g_hash_table_remove (pg->prepared, sent.statement->on_server);
}

/* Takes and drops all answers up to the end of the pipeline. */
static gboolean
drain (Pg *pg, GError **error)
{
  while (pg->synced) {
    PGresult *result = take_answer (pg, error);
    if (result == NULL)
      return FALSE;
    ExecStatusType status = PQresultStatus (result);
    PQclear (result);
    if (status == PGRES_PIPELINE_SYNC)
      pg->synced = FALSE;
    else
      pass_answer (pg, status);
  }
  /* What was not sent whole has no answer: it is not known whether a statement is prepared. */
  for (guint i = pg->taken; i < pg->sent->len; i++)
    if (g_array_index (pg->sent, Sent, i).kind == SENT_PREPARE) {
      pg_close (pg);
      return TRUE;
    }
  g_array_set_size (pg->sent, 0);
  pg->taken = 0;
  return TRUE;
}

/* The session itself is read-only, and not only the transaction or the statement. A setting of the
 * role or the database is taken when a session begins, so a later one can be writable. */
static gboolean
is_stuck_read_only (const Pg *pg, const PgStatement *statement, const char *state)
{
  return !pg->read_only && !(statement != NULL && statement->reads)
         && g_strcmp0 (state, "25006") == 0;
}

void
pg_fail_statement (Pg *pg, const PGresult *result, const PgStatement *statement, GError **error)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  g_strlcpy (pg->sqlstate, state != NULL ? state : "", sizeof pg->sqlstate);
  const char *position = PQresultErrorField (result, PG_DIAG_STATEMENT_POSITION);
  pg->position = position != NULL ? atoi (position) : 0;
  pg->hidden = verdict_is_hidden (result);
  pg->lock = verdict_lock (result, statement);
  verdict_set_error (result, statement, atomic_load (&pg->cancelled_us) != 0, error);
  if (pg_is_class42 (pg)) /* cached rows can name a table or column that is gone */
    kept_clear (pg->kept);
  gboolean lost = PQstatus (pg->conn) != CONNECTION_OK || verdict_is_of_session (result)
                  || is_stuck_read_only (pg, statement, state);
  g_autoptr (GError) ignored = NULL;
  if (lost || !drain (pg, &ignored))
    pg_close (pg);
}

/* RESULT: of settings_again.sql. */
static void
note_unsettled (Pg *pg, const PGresult *result)
{
  for (int i = 0; i < PQntuples (result); i++)
    g_string_append_printf (pg->unsettled, "%s%s", pg->unsettled->len > 0 ? ", " : "",
                            PQgetvalue (result, i, 0));
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
    if (sent.kind == SENT_PATH)
      path_note (pg, PQgetvalue (result, 0, 0));
    if (sent.kind == SENT_SETTINGS)
      note_unsettled (pg, result);
    if (sent.kind == SENT_CALLER)
      *rows = rows_wrap (result);
    else
      PQclear (result);
  }
  return TRUE;
}

guint
pg_queued (const Pg *pg)
{
  guint n = 0;
  for (guint i = pg->taken; i < pg->sent->len; i++)
    n += g_array_index (pg->sent, Sent, i).kind == SENT_CALLER;
  return n;
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

GPtrArray *
pg_run_each (Pg *pg, const PgStatement *statement, PgValues *const *values, guint n, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
  if (!pg_send_each (pg, statement, values, n, error) || !pg_flush (pg, error))
    return NULL;
  for (guint i = 0; i < n; i++) {
    PgRows *rows = pg_next (pg, error);
    if (rows == NULL)
      return NULL;
    g_ptr_array_add (all, rows);
  }
  return pg_finish (pg, error) ? g_steal_pointer (&all) : NULL;
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

/* A key made of the statement's name and all bound values. */
static char *
name_with_values (const PgStatement *statement, const char *const *bound)
{
  GString *name = g_string_new (statement->name);
  for (guint i = 0; i < statement->n_parameters; i++)
    g_string_append_printf (name, "%c%s", bound[i] != NULL ? '\x1f' : '\x1e',
                            bound[i] != NULL ? bound[i] : "");
  return g_string_free (name, FALSE);
}

const PgRows *
pg_run_kept (Pg *pg, const PgStatement *statement, const PgValues *values, const char *stamp,
             GError **error)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_values_bind (values, statement, bound, error))
    return NULL;
  g_autofree char *name = name_with_values (statement, bound);
  const PgRows *known = kept_get (pg->kept, name, stamp);
  if (known != NULL)
    return known;
  PgRows *rows = pg_run (pg, statement, values, error);
  return rows != NULL ? kept_put (pg->kept, name, stamp, rows) : NULL;
}

gboolean
pg_has_kept (Pg *pg, const PgStatement *statement, const PgValues *values, const char *stamp)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_values_bind (values, statement, bound, NULL))
    return FALSE;
  g_autofree char *name = name_with_values (statement, bound);
  return kept_get (pg->kept, name, stamp) != NULL;
}

const PgRows *
pg_run_once (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  g_autofree char *stamp = g_strdup_printf ("transaction %" G_GUINT64_FORMAT, pg->transactions);
  return pg_run_kept (pg, statement, values, stamp, error);
}
