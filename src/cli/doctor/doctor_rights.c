/* What a job needs in order to read is in its job.conf (`needs`), what it writes is in its SQL
 * files: the statements themselves are read, so that no second list can go stale.
 */
#include "base/resource.h"
#include "cli/doctor/doctor.h"
#include "cli/grants.h"
#include "engine/job/in_force.h"
#include "engine/ledger/keeping.h"
#include "engine/ledger/schema.h"

#define SQL "src/cli/doctor/sql/"

typedef struct {
  GString *jobs, *tables, *names; /* names: columns, or privileges */
} Wanted;

static const struct {
  const char *privilege, *pattern;
} WRITES[] = {
  { "DELETE", "\\bDELETE\\s+FROM\\s+([a-z_][a-z_0-9]*+)(?!\\.)" },
  { "UPDATE", "\\bUPDATE\\s+([a-z_][a-z_0-9]*+)(?:\\s+[a-z_]+)?\\s+SET\\b" },
  { "INSERT", "\\bINSERT\\s+INTO\\s+([a-z_][a-z_0-9]*+)(?!\\.)" },
};

static void
want (Wanted *wanted, const Job *job, const char *table, const char *name)
{
  array_add (wanted->jobs, job->name);
  array_add (wanted->tables, table);
  array_add (wanted->names, name);
}

static void
want_writes (Wanted *wanted, const Job *job, const char *sql)
{
  for (guint i = 0; i < G_N_ELEMENTS (WRITES); i++) {
    g_autoptr (GRegex) pattern = g_regex_new (WRITES[i].pattern, 0, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    for (g_regex_match (pattern, sql, 0, &match); g_match_info_matches (match);
         g_match_info_next (match, NULL)) {
      g_autofree char *table = g_match_info_fetch (match, 1);
      want (wanted, job, table, WRITES[i].privilege);
    }
  }
}

/* Folders end with a slash. */
static void
read_folder (Wanted *wanted, const Job *job, const char *folder)
{
  g_auto (GStrv) names = resource_list (folder);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autofree char *text = NULL;
    if (g_str_has_suffix (names[i], "/"))
      read_folder (wanted, job, path);
    else if (g_str_has_suffix (names[i], ".sql") && (text = resource_sql (path, NULL)) != NULL) {
      g_autoptr (GRegex) comments = g_regex_new ("--[^\n]*", 0, 0, NULL);
      g_autofree char *plain = g_regex_replace_literal (comments, text, -1, 0, " ", 0, NULL);
      want_writes (wanted, job, plain);
    }
  }
}

static void
want_needs (Wanted *wanted, const Job *job)
{
  for (char **need = job->needs; *need != NULL; need++) {
    g_auto (GStrv) parts = g_strsplit (*need, ".", 2);
    if (parts[1] != NULL)
      want (wanted, job, parts[0], parts[1]);
  }
}

static PgRows *
ask_wanted (Doctor *doctor, const char *check, const char *file, gboolean writes)
{
  Wanted wanted = { array_new (), array_new (), array_new () };
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    if (in_force_of (job)->enabled && writes)
      read_folder (&wanted, job, job->folder);
    else if (in_force_of (job)->enabled)
      want_needs (&wanted, job);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (doctor->cli->config, "postgres", "app_schema"));
  pg_values_take (values, "job", array_take (wanted.jobs));
  pg_values_take (values, "relation", array_take (wanted.tables));
  pg_values_take (values, "name", array_take (wanted.names));
  return doctor_ask (doctor, check, file, values);
}

static void
check_rights (Doctor *doctor)
{
  g_autoptr (PgRows) own = doctor_ask (doctor, "rights", SQL "own_rights.sql", NULL);
  g_autoptr (PgRows) writes
      = own != NULL ? ask_wanted (doctor, "rights", SQL "writes.sql", TRUE) : NULL;
  g_autoptr (PgRows) reads
      = writes != NULL ? ask_wanted (doctor, "rights", SQL "reads.sql", FALSE) : NULL;
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
    doctor_ok (doctor, "rights", "this role may do what the enabled jobs do");
}

/* Only a superuser may do that. */
static char *
bypass (const Doctor *doctor)
{
  g_autofree char *sql
      = g_strdup_printf ("ALTER ROLE %s BYPASSRLS", doctor->role != NULL ? doctor->role : "NAME");
  return grants_psql (doctor->cli->config, "postgres", sql);
}

/* Jobs refuse what touches these. */
static void
check_hidden (Doctor *doctor)
{
  g_autoptr (PgRows) rows = ask_wanted (doctor, "row-level security", SQL "hidden.sql", FALSE);
  if (rows == NULL)
    return;
  g_autofree char *list = doctor_list (rows, "hidden"), *remedy = bypass (doctor);
  if (rows_count (rows) > 0)
    doctor_error (
        doctor, CODE_POSTGRES, "row-level security", remedy,
        "it may hide rows from this role, and what would go with them unseen is refused: %s", list);
  else
    doctor_ok (doctor, "row-level security", "it hides nothing from this role");
}

static void
check_restore (Doctor *doctor)
{
  g_autoptr (PgRows) rows = ask_wanted (doctor, "restore", SQL "inserts.sql", TRUE);
  if (rows == NULL)
    return;
  g_autofree char *list = doctor_list (rows, "missing");
  if (rows_count (rows) > 0)
    doctor_warn (doctor, "restore", doctor->grants,
                 "`pruned restore` needs a role that may INSERT into %s", list);
  else
    doctor_ok (doctor, "restore", "this role may put back what the enabled jobs remove");
}

static void
check_columns (Doctor *doctor)
{
  g_autoptr (PgRows) rows = ask_wanted (doctor, "tables", SQL "columns.sql", FALSE);
  if (rows == NULL)
    return;
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *remedy
        = g_strdup_printf ("pruned -s jobs.%s.enabled=false run", rows_text (rows, i, "job"));
    doctor_error (
        doctor, CODE_NOT_FOUND, "tables", remedy,
        "job %s is blocked: there is no %s (see [postgres] app_schema; or the job is not for this database)",
        rows_text (rows, i, "job"), rows_text (rows, i, "missing"));
  }
  if (rows_count (rows) == 0)
    doctor_ok (doctor, "tables", "all that the enabled jobs read is there");
}

static gboolean
is_paused (Doctor *doctor, const Job *job)
{
  if (!doctor->migrated || !pg_begin_read_only (doctor->pg, NULL))
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  g_autoptr (PgRows) rows = pg_run_file (doctor->pg, "src/cli/sql/is_paused.sql", values, NULL);
  pg_rollback (doctor->pg);
  return rows != NULL && rows_count (rows) > 0;
}

/* A row of settings that a job wants. A table that is missing was said before; whoever has paused
 * the job knows. */
static void
check_settings (Doctor *doctor)
{
  g_autoptr (GHashTable) said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "args", "{}");
  pg_values_set (values, "scheduled_at", "now");
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    if (!in_force_of (job)->enabled || job->blocked == NULL
        || !pg_begin_read_only (doctor->pg, NULL))
      continue;
    g_autoptr (PgRows) rows = pg_run (doctor->pg, job->blocked, values, NULL);
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
    doctor_error (doctor, CODE_POSTGRES, "indexes", doctor->grants, "cannot be looked at: %s",
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
        "%s on %s, which the cursor of %s wants, is %s: pages get slower as the table grows",
        index->name, index->table, index->job->name,
        index->state == INDEX_MISSING ? "missing" : "invalid");
  }
  if (!missing)
    doctor_ok (doctor, "indexes", "those that cursors want are there");
}

/* A shorter time than the database keeps is not heard until its owner says it, too. */
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
                           "deletions")) /* the archive holds nobody's rows */
      continue;
    n++;
    const char *wanted = rows_text (rows, i, "wanted"), *days = rows_text (rows, i, "days");
    doctor_warn (
        doctor, "audit", "pruned migrate",
        "the database keeps %s for %s days, the configuration says %s (migrate as its owner)",
        rows_text (rows, i, "what"), days != NULL ? days : "as many",
        wanted != NULL ? wanted : "nothing of it");
  }
  if (rows != NULL && n == 0)
    doctor_ok (doctor, "audit", "it is kept for as long as the configuration says");
}

/* Whoever makes an operator or a function for types of the application's makes the daemon run it.
 */
static void
check_creators (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (doctor->cli->config, "postgres", "app_schema"));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "creators", SQL "creators.sql", values);
  if (rows == NULL)
    return;
  if (rows_count (rows) == 0) {
    doctor_ok (doctor, "creators",
               "nobody but its owner may make functions in the application's schema");
    return;
  }
  g_autofree char *list = doctor_list (rows, "name");
  g_autoptr (GString) sql = g_string_new (NULL);
  for (int i = 0; i < rows_count (rows); i++)
    g_string_append_printf (sql, "%s%s", i > 0 ? "; " : "", rows_text (rows, i, "remedy"));
  g_autofree char *remedy = grants_psql (doctor->cli->config, doctor->owner, sql->str);
  doctor_warn (
      doctor, "creators", remedy,
      "%s may make functions, operators and types in schema %s, and may so have the daemon run them with its rights",
      list, config_text (doctor->cli->config, "postgres", "app_schema"));
}

void
doctor_rights (Doctor *doctor)
{
  if (doctor->pg == NULL)
    return;
  if (doctor->migrated) {
    check_rights (doctor);
    check_keeping (doctor);
  }
  check_creators (doctor);
  check_columns (doctor);
  check_hidden (doctor);
  check_settings (doctor);
  check_indexes (doctor);
  check_restore (doctor);
}
