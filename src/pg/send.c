/* What is queued: statements, and before the first of a transaction its BEGIN and limits. */
#include "pg/path.h"
#include "pg/pg_private.h"
#include "pg/statement.h"

#define SQL "src/pg/sql/"

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

/* Queues WANTED with BOUND as its parameters; prepares it first if needed. */
static gboolean
send_bound (Pg *pg, SentKind kind, const PgStatement *wanted, const char *const *bound,
            GError **error)
{
  gboolean kept = pg->prepare && !wanted->anew;
  const PgStatement *statement = kept ? pg_statement_for (wanted, bound) : wanted;
  const char *name = statement->on_server;
  gboolean prepare = kept && !g_hash_table_contains (pg->refused, name);
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

static gboolean
send_file (Pg *pg, SentKind kind, const char *file, const PgValues *values, GError **error)
{
  const PgStatement *statement = pg_statement (file);
  const char *bound[statement->n_parameters + 1];
  return pg_values_bind (values, statement, bound, error)
         && send_bound (pg, kind, statement, bound, error);
}

/* The first transaction finds out what its path is, in the packet of its own statements. */
static gboolean
send_path (Pg *pg, PgValues *values, GError **error)
{
  g_autofree char *known = path_known (pg);
  pg_values_set (values, "path", known);
  if (known != NULL)
    return TRUE;
  g_autoptr (PgValues) wanted = pg_values_new ();
  pg_values_set (wanted, "app_schema", pg->app_schema);
  pg_values_set (wanted, "schemas", pg->extension_schemas);
  return pg_send_own (
             pg, "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)", error)
         && send_file (pg, SENT_PATH, SQL "path.sql", wanted, error);
}

static gboolean
send_limits (Pg *pg, GError **error)
{
  gint plans = pg->plans != NULL ? atomic_load (pg->plans) : 0;
  if (plans != pg->plans_made && !pg_send_own (pg, "DISCARD PLANS", error))
    return FALSE;
  pg->plans_made = plans;
  g_autoptr (PgValues) values = pg_values_new ();
  if (!send_path (pg, values, error))
    return FALSE;
  pg_values_set (values, "role", pg->role);
  g_autofree char *most = g_strdup_printf ("%dms", pg->statement_ms);
  pg_values_set (values, "most", pg->statement_ms > 0 ? most : NULL);
  pg_values_set (values, "task", pg->takes_task ? pg->task : NULL);
  return send_file (pg, SENT_OWN, SQL "limits.sql", values, error);
}

gboolean
pg_send_limits (Pg *pg, GError **error)
{
  if (!pg->begin_wanted)
    return pg->in_transaction || pg->sent->len > 0 || send_limits (pg, error);
  pg->begin_wanted = FALSE;
  pg->in_transaction = TRUE;
  return pg_send_own (pg,
                      pg->read_only ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                                    : "BEGIN ISOLATION LEVEL READ COMMITTED",
                      error)
         && send_limits (pg, error);
}

gboolean
pg_send_settings (Pg *pg, GError **error)
{
  if (!pg->stirred)
    return TRUE;
  pg->stirred = FALSE;
  return send_file (pg, SENT_SETTINGS, SQL "settings_again.sql", NULL, error);
}

static void
note_changes (Pg *pg, const PgStatement *statement)
{
  pg->stirred |= statement->changes != NULL;
  if (statement->changes != NULL && *statement->changes != '\0'
      && !g_ptr_array_find_with_equal_func (pg->changed, statement->changes, g_str_equal, NULL))
    g_ptr_array_add (pg->changed, statement->changes);
}

gboolean
pg_send_keys (Pg *pg, const PgValues *values, GError **error)
{
  return pg_send_settings (pg, error)
         && send_file (pg, SENT_OWN, SQL "keys_off.sql", values, error);
}

/* A transaction that may write cannot be told to read only for a while, but a part of it can: the
 * end of the savepoint gives back what was. */
static gboolean
send_reading (Pg *pg, const PgStatement *statement, const char *const *bound, GError **error)
{
  return pg_send_own (pg, "SAVEPOINT reading", error)
         && pg_send_own (pg, "SET LOCAL transaction_read_only = on", error)
         && send_bound (pg, SENT_CALLER, statement, bound, error)
         && pg_send_own (pg, "RELEASE reading", error);
}

gboolean
pg_queue (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_values_bind (values, statement, bound, error) || !pg_ensure (pg, error)
      || !pg_send_limits (pg, error) || !pg_send_settings (pg, error))
    return FALSE;
  note_changes (pg, statement);
  return statement->reads && pg->in_transaction && !pg->read_only
             ? send_reading (pg, statement, bound, error)
             : send_bound (pg, SENT_CALLER, statement, bound, error);
}

/* Without a name: nothing of it stays in the session. */
static gboolean
prepare_unnamed (Pg *pg, const PgStatement *statement, GError **error)
{
  if (!PQsendPrepare (pg->conn, "", statement->sql, 0, NULL))
    return pg_fail_connection (pg, "cannot send", error);
  remember (pg, SENT_OWN, statement);
  return TRUE;
}

static gboolean
send_unnamed (Pg *pg, const PgStatement *statement, PgValues *const *values, guint n,
              GError **error)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_send_own (pg, "SET LOCAL plan_cache_mode = force_generic_plan", error)
      || !prepare_unnamed (pg, statement, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!pg_values_bind (values[i], statement, bound, error))
      return FALSE;
    if (!PQsendQueryPrepared (pg->conn, "", (int)statement->n_parameters, bound, NULL, NULL, 0))
      return pg_fail_connection (pg, "cannot send", error);
    remember (pg, SENT_CALLER, statement);
  }
  return TRUE;
}

gboolean
pg_send_each (Pg *pg, const PgStatement *statement, PgValues *const *values, guint n,
              GError **error)
{
  gboolean sent
      = pg_ensure (pg, error) && pg_send_limits (pg, error) && pg_send_settings (pg, error);
  if (n > 1)
    return sent && send_unnamed (pg, statement, values, n, error);
  return sent && (n == 0 || pg_queue (pg, statement, values[0], error));
}

gboolean
pg_send_describe (Pg *pg, const PgStatement *statement, GError **error)
{
  if (!pg_ensure (pg, error) || !pg_send_limits (pg, error)
      || !prepare_unnamed (pg, statement, error))
    return FALSE;
  if (!PQsendDescribePrepared (pg->conn, ""))
    return pg_fail_connection (pg, "cannot send", error);
  remember (pg, SENT_CALLER, statement);
  return TRUE;
}

gboolean
pg_flush (Pg *pg, GError **error)
{
  if (pg->conn == NULL || !PQpipelineSync (pg->conn))
    return pg_fail_connection (pg, "cannot send", error);
  pg->synced = TRUE;
  return TRUE;
}
