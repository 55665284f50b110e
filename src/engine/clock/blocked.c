#include "engine/clock/blocked.h"

#include "engine/job/in_force.h"

#include <string.h>

#define SQL "src/engine/clock/sql/"

static PgValues *
entry_values (const PgRows *rows, int row)
{
  static const char *const names[]
      = { "job", "key", "run_id", "scheduled_at", "args", "next_try_at" };
  PgValues *values = pg_values_new ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    pg_values_set (values, names[i], rows_text (rows, row, names[i]));
  return values;
}

/* FALSE also if there is no STATEMENT, or if it fails. */
static gboolean
is_blocked_by (Pg *pg, const PgStatement *statement, const PgValues *entry)
{
  if (statement == NULL)
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "args", pg_values_get (entry, "args"));
  pg_values_set (values, "scheduled_at", pg_values_get (entry, "scheduled_at"));
  g_autoptr (PgRows) reasons
      = pg_begin_read_only (pg, NULL) ? pg_run (pg, statement, values, NULL) : NULL;
  gboolean lacks = reasons == NULL && pg_is_class42 (pg);
  pg_rollback (pg);
  return lacks || (reasons != NULL && rows_count (reasons) > 0);
}

/* Is the job still blocked, by its own statements? Otherwise the step is retried. */
static gboolean
is_blocked_still (Pg *pg, const Job *job, const PgValues *entry)
{
  return is_blocked_by (pg, job->blocked, entry) || is_blocked_by (pg, job->blocked_minute, entry);
}

/* Sets the run waiting, with its unique key, one step further so that its next outcome has another
 * id. Does nothing if another run holds the key: that run is a retry already. */
static gboolean
revive (Pg *pg, const Job *job, PgValues *entry, GError **error)
{
  const char *text = pg_values_get (entry, "args");
  g_autoptr (json_t) args = json_parse_exact (text, strlen (text), NULL);
  pg_values_take (entry, "unique_key",
                  args != NULL ? job_expand_key (job->unique_key, args) : NULL);
  g_autoptr (PgRows) back = pg_run_file (pg, SQL "blocked_unarchive.sql", entry, error);
  g_autoptr (PgRows) again
      = back != NULL ? pg_run_file (pg, SQL "blocked_again.sql", entry, error) : NULL;
  if (again != NULL && rows_count (again) > 0)
    log_info ("Retrying a blocked tick", "job", job->name, "run_id",
              pg_values_get (entry, "run_id"));
  return again != NULL;
}

static gboolean
ask_again (Pg *pg, const Job *job, PgValues *entry, GError **error)
{
  gboolean still = is_blocked_still (pg, job, entry);
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) mine = pg_run_file (pg, SQL "blocked_claim.sql", entry, error);
  return mine != NULL && (rows_count (mine) == 0 || still || revive (pg, job, entry, error))
         && pg_commit (pg, error);
}

static gboolean
forget (Pg *pg, const PgValues *entry, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "blocked_forget.sql", entry, error);
  return rows != NULL;
}

/* FALSE: it failed, and is rolled back. */
static gboolean
look_at (Pg *pg, const PgRows *rows, int row, GError **error)
{
  const Job *job = jobs_find (in_force_jobs (), rows_text (rows, row, "job"));
  g_autoptr (PgValues) entry = entry_values (rows, row);
  if (job == NULL)
    return TRUE; /* of another version */
  gboolean settled = rows_bool (rows, row, "settled") || !in_force_of (job)->enabled;
  if (settled ? forget (pg, entry, error) : ask_again (pg, job, entry, error))
    return TRUE;
  pg_rollback (pg);
  g_prefix_error (error, "%s: ", job->name);
  return FALSE;
}

gboolean
blocked_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "blocked_list.sql", NULL, error);
  gboolean ok = rows != NULL;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    GError *cause = NULL;
    if (look_at (pg, rows, i, &cause))
      continue;
    const gboolean away = cause->code == PRUNED_OUTAGE;
    if (ok)
      g_propagate_error (error, cause);
    else
      g_error_free (cause);
    ok = FALSE;
    if (away)
      break;
  }
  return ok;
}
