/* Checks the rights of this role. A job's job.conf lists what it reads (`needs`), column by column.
 * The other rights are those of `pruned grants`.
 */
#include "base/plural.h"
#include "cli/check/check_wanted.h"
#include "cli/doctor/doctor.h"
#include "cli/grants.h"
#include "cli/own_rights.h"
#include "engine/job/in_force.h"
#include "engine/job/job_rights.h"
#include "engine/job/sentence/complete.h"
#include "engine/ledger/keeping.h"
#include "engine/ledger/schema.h"
#include "engine/ledger/unrecorded.h"
#include "engine/view/view.h"

#define SQL "src/cli/doctor/sql/"

/* What built-in jobs read is in their `needs` and `reads`. */
static void
want_right (const Job *job, const char *table, const char *right, gpointer data)
{
  if (!job->built_in || !g_str_equal (right, "SELECT"))
    check_want (job, table, right, data);
}

/* With the tables that the catalogue adds to a sentence. One that it does not fit is a finding of
 * another check; an error is one of CHECK. */
static const Job *
completed (Doctor *doctor, const char *check, const Job *job)
{
  g_autofree char *refusal = NULL;
  g_autoptr (GError) error = NULL;
  const Job *whole = pg_begin_read_only (doctor->pg, &error)
                         ? job_complete (doctor->pg, job, &refusal, &error)
                         : NULL;
  pg_rollback (doctor->pg);
  if (error != NULL)
    doctor_unasked (doctor, check, error);
  return whole != NULL ? whole : job;
}

static void
want_columns (CheckWanted *wanted, const Job *job, char **columns)
{
  for (char **column = columns; *column != NULL; column++) {
    g_auto (GStrv) parts = g_strsplit (*column, ".", 2);
    if (parts[1] != NULL)
      check_want (job, parts[0], parts[1], wanted);
  }
}

typedef enum { RIGHTS, WRITES, NEEDS, READS } Which; /* READS: also what a job can do without */

static PgRows *
ask_wanted (Doctor *doctor, const char *check, const char *file, Which which)
{
  CheckWanted wanted = { array_new (), array_new (), array_new () };
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    if (!in_force_of (job)->enabled)
      continue;
    if (which == RIGHTS) {
      job_rights_each (completed (doctor, check, job), want_right, &wanted);
      job_rights_filled (job, want_right, &wanted);
    } else if (which == WRITES)
      check_want_written (completed (doctor, check, job), &wanted);
    else
      want_columns (&wanted, job, job->needs);
    if (which == READS)
      want_columns (&wanted, job, job->reads);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (doctor->cli->config, "postgres", "app_schema"));
  pg_values_take (values, "job", array_take (wanted.jobs));
  pg_values_take (values, "relation", array_take (wanted.tables));
  pg_values_take (values, "name", array_take (wanted.names));
  return doctor_ask (doctor, check, file, values);
}

static void
check_privileges (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  own_rights_values (values);
  g_autoptr (PgRows) own = doctor_ask (doctor, "rights", SQL "own_rights.sql", values);
  g_autoptr (PgRows) writes
      = own != NULL ? ask_wanted (doctor, "rights", SQL "writes.sql", RIGHTS) : NULL;
  g_autoptr (PgRows) reads
      = writes != NULL ? ask_wanted (doctor, "rights", SQL "reads.sql", READS) : NULL;
  if (reads == NULL)
    return;
  const PgRows *all[] = { own, writes, reads };
  gboolean missing = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (rows_count (all[i]) > 0) {
      g_autofree char *list = doctor_list (all[i], "missing");
      doctor_error (doctor, CODE_POSTGRES, "rights", doctor->grants, "this role lacks %s", list);
      missing = TRUE;
    }
  if (!missing)
    doctor_ok (doctor, "rights", "this role has the rights that the enabled jobs need");
}

/* Needs a superuser. */
static char *
bypass (const Doctor *doctor)
{
  g_autofree char *sql
      = g_strdup_printf ("ALTER ROLE %s BYPASSRLS", doctor->role != NULL ? doctor->role : "NAME");
  return grants_psql (doctor->cli->config, "postgres", sql);
}

/* PostgreSQL refuses statements that it would hide rows from. */
static void
check_hidden (Doctor *doctor)
{
  g_autoptr (PgRows) rows = ask_wanted (doctor, CHECK_HIDDEN, SQL "hidden.sql", READS);
  if (rows == NULL)
    return;
  g_autofree char *list = doctor_list (rows, "hidden"), *remedy = bypass (doctor);
  if (rows_count (rows) > 0)
    doctor_error (
        doctor, CODE_POSTGRES, CHECK_HIDDEN, remedy,
        "it may hide rows from this role; jobs refuse removals that would affect hidden rows: %s",
        list);
  else if (doctor->hides)
    doctor_error (doctor, CODE_POSTGRES, CHECK_HIDDEN, remedy,
                  "it may hide rows from this role that jobs of your own read; they are blocked");
  else
    doctor_ok (doctor, CHECK_HIDDEN, "it hides nothing from this role that the enabled jobs read");
}

static void
check_keys_off (Doctor *doctor)
{
  g_autoptr (GHashTable) said = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (PgRows) rows = ask_wanted (doctor, CHECK_OFF, CHECK_OFF_SQL, WRITES);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *detail = rows_text (rows, i, "detail"), *sql = rows_text (rows, i, "remedy");
    if (!g_hash_table_add (said, (gpointer)detail))
      continue;
    g_autofree char *remedy
        = sql != NULL ? grants_psql (doctor->cli->config, "postgres", sql) : NULL;
    doctor_error (doctor, CODE_POSTGRES, CHECK_OFF, remedy, "%s; its jobs are blocked", detail);
  }
  if (rows != NULL && rows_count (rows) == 0)
    doctor_ok (doctor, CHECK_OFF,
               "PostgreSQL keeps the foreign keys of what the enabled jobs change");
}

/* What the enabled jobs remove and the audit cannot give back. Of jobs of one's own `own jobs` says
 * it. FALSE: there is something. */
static gboolean
check_recorded_rows (Doctor *doctor)
{
  gboolean whole = TRUE;
  for (guint i = 0; doctor->migrated && i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    if (!in_force_of (job)->enabled)
      continue;
    const Job *known = completed (doctor, "restore", job);
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) columns = pg_begin_read_only (doctor->pg, &error)
                                        ? unrecorded_find (doctor->pg, known, &error)
                                        : NULL;
    pg_rollback (doctor->pg);
    if (columns == NULL)
      doctor_unasked (doctor, "restore", error);
    whole &= columns != NULL;
    if (columns == NULL || !unrecorded_loses (job, columns))
      continue;
    g_autofree char *words = unrecorded_words (columns),
                    *remedy = g_strdup_printf ("pruned check %s", job->name);
    whole = FALSE;
    if (job->built_in)
      doctor_error (doctor, CODE_CONFIG, "restore", remedy, "%s: not recorded: %s", job->name,
                    words);
  }
  return whole;
}

static void
check_restore (Doctor *doctor)
{
  g_autoptr (PgRows) rows = ask_wanted (doctor, "restore", SQL "inserts.sql", RIGHTS);
  if (rows == NULL)
    return;
  g_autofree char *list = doctor_list (rows, "missing");
  const gboolean whole = check_recorded_rows (doctor);
  if (rows_count (rows) > 0)
    doctor_warn (doctor, "restore", doctor->grants,
                 "`pruned restore` needs a role with INSERT on %s", list);
  else if (whole)
    doctor_ok (doctor, "restore", "this role can restore what the enabled jobs remove");
}

static void
check_columns (Doctor *doctor)
{
  g_autoptr (PgRows) rows = ask_wanted (doctor, "tables", SQL "columns.sql", NEEDS);
  if (rows == NULL)
    return;
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *remedy
        = g_strdup_printf ("pruned -s jobs.%s.enabled=false run", rows_text (rows, i, "job"));
    doctor_error (
        doctor, CODE_NOT_FOUND, "tables", remedy,
        "job %s is blocked: there is no %s (check [postgres] app_schema, or disable the job for this database)",
        rows_text (rows, i, "job"), rows_text (rows, i, "missing"));
  }
  if (rows_count (rows) == 0)
    doctor_ok (doctor, "tables", "all tables and columns that the enabled jobs read exist");
}

static gboolean
is_paused (Doctor *doctor, const Job *job)
{
  if (!doctor->migrated || !pg_begin_read_only (doctor->pg, NULL))
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  g_autoptr (PgRows) rows = view_ask (doctor->pg, VIEW_PAUSED, values, NULL);
  pg_rollback (doctor->pg);
  return rows != NULL && rows_count (rows) > 0;
}

/* Checks the rows of settings that a job needs. A missing table is a finding of another check; a
 * paused job is skipped. */
static void
check_settings (Doctor *doctor)
{
  g_autoptr (GHashTable) said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "args", "{}");
  pg_values_set (values, "scheduled_at", "now");
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    g_autoptr (GError) error = NULL;
    if (!in_force_of (job)->enabled || job->blocked == NULL)
      continue;
    g_autoptr (PgRows) rows = pg_begin_read_only (doctor->pg, &error)
                                  ? pg_run (doctor->pg, job->blocked, values, &error)
                                  : NULL;
    if (rows == NULL)
      doctor_unasked_but_missing (doctor, "settings", error);
    pg_rollback (doctor->pg);
    if (rows == NULL || rows_count (rows) == 0 || is_paused (doctor, job)
        || !g_hash_table_add (said, g_strdup (rows_text (rows, 0, "reason"))))
      continue;
    g_autofree char *remedy = g_strdup_printf ("pruned pause %s", job->name);
    doctor_error (doctor, CODE_NOT_FOUND, "settings", remedy,
                  "job %s is blocked: %s (until the application has one)", job->name,
                  rows_text (rows, 0, "reason"));
  }
}

static void
check_indexes (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) indexes = schema_indexes (doctor->pg, doctor->cli->jobs, &error);
  if (indexes == NULL) {
    doctor_error (doctor, CODE_POSTGRES, "indexes", doctor->grants, "could not be checked: %s",
                  error->message);
    return;
  }
  gboolean missing = FALSE;
  for (guint i = 0; i < indexes->len; i++) {
    const WantedIndex *index = indexes->pdata[i];
    if ((index->state != INDEX_MISSING && index->state != INDEX_INVALID)
        || !in_force_of (index->job)->enabled)
      continue;
    missing = TRUE;
    doctor_error (
        doctor, CODE_NOT_FOUND, "indexes", "pruned migrate --indexes",
        "%s on %s, which the cursor of %s needs, is %s: pages get slower as the table grows",
        index->name, index->table, index->job->name,
        index->state == INDEX_MISSING ? "missing" : "invalid");
  }
  if (!missing)
    doctor_ok (doctor, "indexes", "the indexes that cursors need exist");
}

/* A shorter time in the settings has no effect until the owner migrates. */
static void
check_keeping (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  keeping_values (doctor->cli->config, values);
  g_autoptr (PgRows) rows
      = doctor_ask (doctor, "audit", "src/engine/ledger/sql/keeping_differs.sql", values);
  guint n = 0;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    if (!g_str_has_prefix (rows_text (rows, i, "what"),
                           "deletions")) /* the archive has no rows of the application */
      continue;
    n++;
    const char *wanted = rows_text (rows, i, "wanted"), *days = rows_text (rows, i, "days");
    doctor_warn (
        doctor, "audit", "pruned migrate",
        "the database keeps %s for %s %s, the configuration says %s (migrate as its owner)",
        rows_text (rows, i, "what"), days != NULL ? days : "as many",
        plural (g_strcmp0 (days, "1") == 0, "day", "days"),
        wanted != NULL ? wanted : "nothing of it");
  }
  if (rows != NULL && n == 0)
    doctor_ok (doctor, "audit", "it is kept for as long as the configuration says");
}

void
doctor_rights (Doctor *doctor)
{
  if (doctor->pg == NULL)
    return;
  if (doctor->migrated) {
    check_privileges (doctor);
    check_keeping (doctor);
  }
  doctor_owners (doctor);
  check_columns (doctor);
  check_hidden (doctor);
  check_keys_off (doctor);
  check_settings (doctor);
  check_indexes (doctor);
  check_restore (doctor);
}
