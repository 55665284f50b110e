#include "cli/restore/restore.h"

#include "base/uuid5.h"
#include "cli/grants.h"
#include "cli/runs/run_choice.h"
#include "engine/job/sentence/complete.h"
#include "engine/ledger/run.h"

#include <string.h>

#define SQL "src/cli/restore/sql/"
#define LISTED 3

/* Runs a statement in a read-only transaction of its own. */
static PgRows *
ask (Restore *restore, const char *file, PgValues *values, GError **error)
{
  PgRows *rows = pg_begin_read_only (restore->pg, error)
                     ? pg_run_file (restore->pg, file, values, error)
                     : NULL;
  pg_rollback (restore->pg);
  return rows;
}

static PgRows *
ask_of_runs (Restore *restore, const char *file, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_of_texts (restore->runs));
  pg_values_set (values, "only", restore->only.table);
  return ask (restore, file, values, error);
}

static ExitCode
take_runs (Restore *restore, const PgRows *rows, GError **error)
{
  for (int i = 0; i < rows_count (rows); i++) {
    const char *run_id = rows_text (rows, i, "run_id"), *state = rows_text (rows, i, "state");
    const Job *job = jobs_find_loaded (restore->cli->jobs, rows_text (rows, i, "job"));
    if (rows_bool (rows, i, "above")) {
      if (job != NULL)
        g_ptr_array_add (restore->above, (gpointer)job);
      continue;
    }
    if (!run_has_ended (state))
      return cli_usage (
          error, "run %s of %s is %s: it can be restored when it has ended (pruned discard %s)",
          run_id, rows_text (rows, i, "job"), state, run_id);
    g_ptr_array_add (restore->runs, g_strdup (run_id));
    g_ptr_array_add (restore->jobs, (gpointer)job);
    g_ptr_array_add (restore->names, g_strdup (rows_text (rows, i, "job")));
    g_ptr_array_add (restore->versions, g_strdup (rows_text (rows, i, "job_version")));
    ExitCode code = restore_check_version (restore, restore->runs->len - 1, rows, i, error);
    if (code != CODE_OK)
      return code;
    restore->effective |= rows_bool (rows, i, "effective");
    restore->children = (guint)rows_int (rows, i, "children");
  }
  if (restore->runs->len == 0)
    return cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", restore->run_id);
  return CODE_OK;
}

/* Sentences get their SQL. One that the catalogue refuses now is restored by the audit alone, if
 * that is enough; else *REFUSED says why nothing is. */
static gboolean
complete_jobs (Restore *restore, char **refused, GError **error)
{
  gboolean ok = pg_begin_read_only (restore->pg, error);
  GPtrArray *all[] = { restore->jobs, restore->above };
  for (guint a = 0; ok && a < G_N_ELEMENTS (all); a++)
    for (guint i = 0; ok && i < all[a]->len; i++) {
      g_autofree char *refusal = NULL;
      const Job *job = all[a]->pdata[i];
      const Job *completed = job != NULL ? job_complete (restore->pg, job, &refusal, error) : NULL;
      ok = job == NULL || completed != NULL || refusal != NULL;
      const Job *same = a == 0 ? restore_same_job (restore, i) : NULL;
      if (refusal != NULL && same != NULL && job_version_is_bound (same->version)
          && *refused == NULL)
        *refused = g_steal_pointer (&refusal);
      if (completed != NULL)
        all[a]->pdata[i] = (gpointer)completed;
    }
  pg_rollback (restore->pg);
  return ok;
}

/* The id that the given one begins. */
static ExitCode
complete_id (Restore *restore, GError **error)
{
  char *id = NULL;
  if (uuid5_is_valid (restore->run_id))
    return CODE_OK;
  ExitCode code = pg_begin_read_only (restore->pg, error)
                      ? run_choice_one (restore->pg, restore->run_id, &id, error)
                      : cli_pg_failed (restore->pg, error);
  pg_rollback (restore->pg);
  if (code == CODE_OK) {
    g_free (restore->run_id);
    restore->run_id = id;
  }
  return code;
}

static ExitCode
find_runs (Restore *restore, gboolean with_children, GError **error)
{
  ExitCode code = complete_id (restore, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", restore->run_id);
  pg_values_set (values, "with_children", with_children ? "true" : "false");
  restore->found = ask (restore, SQL "runs.sql", values, error);
  code = restore->found != NULL ? take_runs (restore, restore->found, error)
                                : cli_pg_failed (restore->pg, error);
  g_autofree char *refused = NULL;
  if (code == CODE_OK && !complete_jobs (restore, &refused, error))
    return cli_pg_failed (restore->pg, error);
  if (refused != NULL)
    return cli_fail (CODE_NOT_FOUND, error,
                     "the job's own statements for these rows cannot be made now: %s", refused);
  return code;
}

static void
set_job (const Restore *restore, RestoreStep *step)
{
  for (guint i = 0; i < restore->runs->len; i++)
    if (g_str_equal (restore->runs->pdata[i], step->run_id)) {
      step->job_name = restore->names->pdata[i];
      step->job = restore_same_job (restore, i);
    }
}

/* The row of RUN_ID, which is one of those to restore. */
static int
found_row (const Restore *restore, const char *run_id)
{
  int row = 0;
  while (!g_str_equal (rows_text (restore->found, row, "run_id"), run_id))
    row++;
  return row;
}

static ExitCode
find_steps (Restore *restore, GError **error)
{
  g_autoptr (PgRows) rows = ask_of_runs (restore, SQL "steps.sql", error);
  if (rows == NULL)
    return cli_pg_failed (restore->pg, error);
  for (int i = 0; i < rows_count (rows); i++) {
    if (rows_bool (rows, i, "bare"))
      return cli_fail (
          CODE_NOT_FOUND, error,
          "the rows that run %s removed are not recorded, only their keys ([audit] rows was keys): use a backup",
          rows_text (rows, i, "run_id"));
    RestoreStep *step = g_new0 (RestoreStep, 1);
    step->run_id = g_strdup (rows_text (rows, i, "run_id"));
    step->step = g_strdup (rows_text (rows, i, "step"));
    step->path = g_strdup (rows_text (rows, i, "path"));
    set_job (restore, step);
    step->run = found_row (restore, step->run_id);
    g_ptr_array_add (restore->steps, step);
  }
  if (restore->steps->len == 0 && restore->effective && restore->only.table == NULL)
    return cli_fail (
        CODE_NOT_FOUND, error,
        "nothing is recorded of what run %s removed ([audit] rows was off, or [audit] keep_days are over): use a backup",
        restore->run_id);
  return CODE_OK;
}

static ExitCode
check_rights (Restore *restore, GError **error)
{
  g_autoptr (PgRows) rows = ask_of_runs (restore, SQL "tables.sql", error);
  if (rows == NULL)
    return cli_pg_failed (restore->pg, error);
  for (int i = 0; i < rows_count (rows); i++)
    if (!rows_bool (rows, i, "may")) {
      g_autoptr (PgRows) owners = cli_owners (restore->cli);
      g_autofree char *grants = grants_of (restore->cli->config, owners);
      return cli_fail (
          CODE_POSTGRES, error,
          "this role may not put rows back into %s; run it as the owner of the tables (-s postgres.url=...), or grant the "
          "rights: %s",
          rows_text (rows, i, "table_name"), grants);
    }
  return CODE_OK;
}

/* --- unrecorded rows, removed by a foreign key ------------------------------------------------ */

/* The job's rules as the letters of pg_constraint.confdeltype: `c`, `n`, `d`. */
static char *
follows_of (const Job *job)
{
  GString *kinds = g_string_new (NULL);
  for (char **follow = job != NULL ? job->follows : NULL; follow != NULL && *follow != NULL;
       follow++)
    g_string_append_c (kinds, g_str_equal (*follow, "cascade")    ? 'c'
                              : g_str_equal (*follow, "set null") ? 'n'
                                                                  : 'd');
  return g_string_free (kinds, FALSE);
}

/* Tables to which it follows no key. */
static char *
unfollowed_of (const Job *job)
{
  return job != NULL && job->unfollowed != NULL ? g_strjoinv (" ", job->unfollowed) : g_strdup ("");
}

/* Tables that the job has statements for. */
static char *
own_of (const Job *job)
{
  GString *tables = g_string_new (NULL);
  for (guint i = 0; job != NULL && i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint k = 0; k < what->apply->len; k++)
      g_string_append_printf (tables, "%s ", g_array_index (what->apply, JobApply, k).table);
  }
  return g_string_free (tables, FALSE);
}

static PgRows *
ask_unseen (Restore *restore, GError **error)
{
  GString *follows = array_new (), *unfollowed = array_new (), *own = array_new ();
  for (guint i = 0; i < restore->runs->len; i++) {
    g_autofree char *kinds = follows_of (restore->jobs->pdata[i]),
                    *parents = unfollowed_of (restore->jobs->pdata[i]),
                    *tables = own_of (restore->jobs->pdata[i]);
    array_add (follows, kinds);
    array_add (unfollowed, parents);
    array_add (own, tables);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_of_texts (restore->runs));
  pg_values_take (values, "follows", array_take (follows));
  pg_values_take (values, "unfollowed", array_take (unfollowed));
  pg_values_take (values, "own", array_take (own));
  pg_values_set (values, "only", restore->only.table);
  return ask (restore, SQL "unseen.sql", values, error);
}

static ExitCode
check_unseen (Restore *restore, GError **error)
{
  if (restore->partial)
    return CODE_OK;
  g_autoptr (PgRows) rows = ask_unseen (restore, error);
  if (rows == NULL)
    return cli_pg_failed (restore->pg, error);
  if (rows_count (rows) == 0)
    return CODE_OK;
  g_autoptr (GString) list = g_string_new (NULL);
  for (int i = 0; i < rows_count (rows) && i < LISTED; i++)
    g_string_append_printf (list, "%s%s of %s (%s, ON DELETE %s)", i > 0 ? ", " : "",
                            rows_text (rows, i, "child"), rows_text (rows, i, "parent"),
                            rows_text (rows, i, "name"), rows_text (rows, i, "rule"));
  if (rows_count (rows) > LISTED)
    g_string_append_printf (list, " and %d more", rows_count (rows) - LISTED);
  return cli_usage (
      error,
      "a foreign key may have removed rows that were not recorded: %s; --partial restores the recorded rows, use a backup "
      "for the rest",
      list->str);
}

ExitCode
restore_look (Restore *restore, gboolean with_children, GError **error)
{
  ExitCode code = find_runs (restore, with_children, error);
  if (code == CODE_OK)
    code = find_steps (restore, error);
  if (code == CODE_OK)
    code = check_rights (restore, error);
  if (code == CODE_OK)
    code = check_unseen (restore, error);
  return code;
}
