#include "engine/step/partitions_noted.h"

#include "engine/step/page_keys.h"
#include "engine/step/read_back.h"
#include "engine/step/decide.h"

#define SQL "src/engine/step/sql/"

PgRows *
partitions_noted_ask (Step *step, GError **error)
{
  const PgStatement *statement = pg_statement (SQL "partitions_begun.sql");
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  pg_values_set (values, "table", step->job->table);
  pg_values_set (values, "age", step->job->sentence->older_than);
  return pg_run (step->pg, statement, values, error);
}

gboolean
partitions_noted_is (const PgRows *noted, int row, const char *state)
{
  return g_str_equal (rows_text (noted, row, "state"), state);
}

/* --- what is kept --- */

PgRows *
partitions_noted_decide (Step *step, const PgRows *noted, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (int i = 0; i < rows_count (noted); i++)
    g_ptr_array_add (keys, (char *)rows_text (noted, i, "name"));
  return decide_keys (step, keys, "{}", NULL, error);
}

const char *
partitions_noted_reason_to_keep (const PgRows *noted, const PgRows *decided, int row)
{
  if (partitions_noted_is (noted, row, "kept"))
    return "not due any more: the job has changed since it was noted";
  if (partitions_noted_is (noted, row, "taken"))
    return "somebody else has detached it";
  gboolean whole = partitions_noted_is (noted, row, "attached")
                   || partitions_noted_is (noted, row, "detached");
  return whole && g_str_equal (rows_text (decided, row, "what"), "kept")
             ? rows_text (decided, row, "reason")
             : NULL;
}

void
partitions_noted_log_kept (Step *step, const char *partition, const char *reason)
{
  step_log (step, LOG_WARNING, "Partition kept",
            json_pack ("{s:s, s:s, s:s}", "table", step->job->table, "partition", partition,
                       "reason", reason));
}

gboolean
partitions_noted_end (Step *step, const PgStatement *statement, GString *relids,
                      const char *counter, gint64 *n, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  gboolean none = relids->len < 2;
  pg_values_take (values, "relid", array_take (relids));
  step_bind (step, statement, values);
  read_back_bind (step, statement, values);
  g_autoptr (PgRows) rows = none ? NULL : pg_run (step->pg, statement, values, error);
  *n = rows != NULL ? rows_count (rows) : 0;
  step_count (step, counter, *n);
  return none || rows != NULL;
}

gboolean
partitions_noted_forget (Step *step, GString *relids, const char *counter, gint64 *n,
                         GError **error)
{
  return partitions_noted_end (step, pg_statement (SQL "partitions_forget.sql"), relids, counter, n,
                               error);
}

gboolean
partitions_noted_forget_kept (Step *step, const PgRows *noted, const PgRows *decided, gint64 *n,
                              GError **error)
{
  GString *kept = array_new ();
  for (int i = 0; i < rows_count (noted); i++) {
    const char *reason = partitions_noted_reason_to_keep (noted, decided, i);
    if (reason == NULL)
      continue;
    array_add (kept, rows_text (noted, i, "relid"));
    partitions_noted_log_kept (step, rows_text (noted, i, "name"), reason);
  }
  return partitions_noted_forget (step, kept, "kept", n, error);
}

/* --- whose detach it is --- */

static PgValues *
mark_of (Step *step, const char *relid, gboolean detaching, gboolean refused)
{
  PgValues *values = pg_values_new ();
  step_bind (step, pg_statement (SQL "partitions_mark.sql"), values);
  pg_values_set (values, "relid", relid);
  pg_values_set (values, "detaching", detaching ? "true" : "false");
  pg_values_set (values, "refused", refused ? "true" : "false");
  return values;
}

gboolean
partitions_noted_mark (Step *step, const char *relid, GError **error)
{
  g_autoptr (PgValues) values = mark_of (step, relid, TRUE, FALSE);
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "partitions_mark.sql", values, error);
  return rows != NULL;
}

gboolean
partitions_noted_mark_alone (Step *step, const char *relid, gboolean *found, GError **error)
{
  g_autoptr (PgValues) values = mark_of (step, relid, TRUE, FALSE);
  g_autoptr (PgRows) rows = pg_run_alone (step->pg, SQL "partitions_mark.sql", values, error);
  *found = rows != NULL && rows_count (rows) > 0;
  return rows != NULL;
}

/* One that was cancelled may have got half-way, and is ours then. One that PostgreSQL refuses,
 * because the partition is none any more (42P01) or is half detached (55000), was not ours. One
 * whose connection was lost (no SQLSTATE) may still go on. */
gboolean
partitions_noted_unmark_alone (Step *step, const char *relid, const char *sqlstate)
{
  gboolean refused = g_str_equal (sqlstate, "42P01") || g_str_equal (sqlstate, "55000");
  if (*sqlstate == '\0')
    return FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (PgValues) values = mark_of (step, relid, FALSE, refused);
  g_autoptr (PgRows) rows = pg_run_alone (step->pg, SQL "partitions_mark.sql", values, &error);
  return refused && rows != NULL && rows_count (rows) > 0 && !rows_bool (rows, 0, "attached");
}
