/* SQL files of one's own: refused with their line if they would leave something in the session,
 * set what the engine relies on, do another thing than their name says, or are no text. */
#include "engine/job/job_files.h"

#include "support/own_jobs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK "lock/10-scratch.sql"
#define AT(file, line) "scratch.remove/" file ":" #line ": "
#define SESSION "would last until the session ends, and other jobs use it next"
#define NO_STATEMENT                                                                               \
  "is no statement of a step: write SELECT, WITH, VALUES, TABLE, INSERT, UPDATE, DELETE, MERGE, "  \
  "LOCK or SET LOCAL"
#define RELIED_UPON                                                                                \
  ": this setting says what names mean, or the engine relies on it; the files of a job leave it "  \
  "as it is"
#define NO_LITERAL "set_config of a setting that is not named by a plain literal, like 'work_mem'"
#define ADVISORY ": write pg_advisory_xact_lock, or one of its kind"
#define THIRD "set_config " SESSION ": its third argument has to be `true`"
#define PLAINLY ": write the name plainly"
#define OWN                                                                                        \
  "DELETE FROM scratch s WHERE s.id = ANY (:key::bigint[]) "                                       \
  "RETURNING s.id AS key, to_jsonb(s.*) AS row"
#define UPDATE                                                                                     \
  "UPDATE scratch s SET note = 'u' WHERE s.id = ANY (:key::bigint[]) "                             \
  "RETURNING s.id AS key, to_jsonb(s.*) AS row"

static const OwnJobsChange OUTLASTS[] = {
  { LOCK, NULL, "-- Not local.\nSET search_path = pg_catalog",
    AT (LOCK, 2) "SET " SESSION ": write SET LOCAL" },
  { LOCK, NULL, "set session work_mem = '1GB'", AT (LOCK, 1) "SET " SESSION ": write SET LOCAL" },
  { LOCK, NULL, "SET TRANSACTION READ ONLY", AT (LOCK, 1) "SET " NO_STATEMENT },
  { LOCK, NULL, "/* LOCK */ RESET ALL", AT (LOCK, 1) "RESET " NO_STATEMENT },
  { LOCK, NULL, "LISTEN scratch", AT (LOCK, 1) "LISTEN " NO_STATEMENT },
  { LOCK, NULL, "CREATE TEMP TABLE mine (id int)", AT (LOCK, 1) "CREATE " NO_STATEMENT },
  { LOCK, NULL, "\n\nTRUNCATE scratch", AT (LOCK, 3) "TRUNCATE " NO_STATEMENT },
  { LOCK, NULL, "SELECT pg_catalog.pg_advisory_lock(1)",
    AT (LOCK, 1) "pg_advisory_lock " SESSION ADVISORY },
  { LOCK, NULL, "SELECT set_config('a.b', '1', true),\n set_config('work_mem', f(1, 2), false)",
    AT (LOCK, 2) THIRD },
  { LOCK, NULL, "SELECT set_config('work_mem', '1', :local::boolean)", AT (LOCK, 1) THIRD },
  { LOCK, NULL, "SELECT 1,\n \"pg_advisory_lock\" (1)",
    AT (LOCK, 2) "pg_advisory_lock " SESSION ADVISORY },
  { LOCK, NULL, "SELECT \"pg_catalog\".\"set_config\"('work_mem', '1', false)",
    AT (LOCK, 1) THIRD },
  { LOCK, NULL, "SELECT 1,\n u&\"pg_advisory\\005flock\" (1)",
    AT (LOCK, 2) "U&\"..\" calls a function by a name with escapes" PLAINLY },
  { "decide.sql", NULL, "COMMIT", AT ("decide.sql", 1) "COMMIT " NO_STATEMENT },
  { "context.sql", NULL, "BEGIN", AT ("context.sql", 1) "BEGIN " NO_STATEMENT },
  { "apply/removed/20-other.insert.sql", NULL, "PREPARE a AS SELECT 1",
    AT ("apply/removed/20-other.insert.sql", 1) "PREPARE " NO_STATEMENT },
  { "apply/removed/30-other.sql", NULL, "DISCARD ALL",
    AT ("apply/removed/30-other.sql", 1) "DISCARD " NO_STATEMENT },
};

static void
test_what_would_outlast_the_step (void)
{
  own_jobs_changes (OUTLASTS, G_N_ELEMENTS (OUTLASTS));
}

/* Its line is that of no file of the job. */
static void
test_what_an_included_file_has (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  own_jobs_write (OWN_JOB "/restored/other.sql", "-- include: ../set.txt\n");
  own_jobs_write (OWN_JOB "/set.txt", "SET a.b = 1");
  own_jobs_expect ("a part", OWN_JOB,
                   "scratch.remove/restored/other.sql: SET " SESSION ": write SET LOCAL");
}

/* What is no statement at all is PostgreSQL's to refuse. */
static void
test_what_ends_with_the_step (void)
{
  static const char *const texts[] = {
    "SELEC 1",
    "SET LOCAL work_mem = '64MB'",
    "SET CONSTRAINTS ALL DEFERRED",
    "LOCK TABLE scratch IN SHARE ROW EXCLUSIVE MODE",
    "-- SET a\n(SELECT 'RESET', \"set\", $$pg_advisory_lock$$ FROM x)",
    "SELECT pg_advisory_xact_lock(1)",
    "WITH a AS (SELECT set_config('a.b', g('x', ARRAY[1, 2]), TRUE)) SELECT FROM a",
    "SET LOCAL my.role = 'x'",
    "SET LOCAL \"time\".zone = 1",
    "SELECT set_config('work_mem', '1MB', true), set_config ( 'pruned.owners' , 'role', true)",
    "SELECT 'set_config(''role'', 1, true)', role FROM x",
    "SELECT name FROM pg_settings FOR UPDATE",
    "SET LOCAL plan_cache_mode = auto",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const OwnJobsChange one = { LOCK, NULL, texts[i], NULL };
    own_jobs_changes (&one, 1);
  }
}

/* --- settings that the engine relies on --- */

static const char *const SETTINGS[] = {
  "search_path",
  "transaction_read_only",
  "default_transaction_read_only",
  "role",
  "session_authorization",
  "session_replication_role",
  "row_security",
  "transaction_isolation",
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "transaction_timeout",
  "timezone",
  "datestyle",
  "intervalstyle",
  "bytea_output",
  "extra_float_digits",
  "standard_conforming_strings",
  "array_nulls",
  "quote_all_identifiers",
  "jit",
  "application_name",
  "client_encoding",
  "synchronous_commit",
  "track_counts",
  "transform_null_equals",
  "gin_fuzzy_search_limit",
  "pruned.settings",
  "pruned.secret_1a",
};

static void
assert_set (const char *file, char *text, char *want)
{
  const OwnJobsChange one = { file, NULL, text, want };
  own_jobs_changes (&one, 1);
  g_free (text);
  g_free (want);
}

static void
test_settings_in_each_way_to_set_them (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (SETTINGS); i++) {
    assert_set (LOCK, g_strdup_printf ("SET LOCAL %s = 'x'", SETTINGS[i]),
                g_strdup_printf (AT (LOCK, 1) "SET LOCAL %s" RELIED_UPON, SETTINGS[i]));
    assert_set ("decide.sql", g_strdup_printf ("SELECT set_config('%s', 'x', true)", SETTINGS[i]),
                g_strdup_printf (AT ("decide.sql", 1) "set_config of %s" RELIED_UPON, SETTINGS[i]));
  }
}

static const OwnJobsChange SET[] = {
  { LOCK, NULL, "SET LOCAL SEARCH_PATH = evil, public",
    AT (LOCK, 1) "SET LOCAL search_path" RELIED_UPON },
  { LOCK, NULL, "-- x\nSET /* LOCAL */ LOCAL \"Search_Path\" TO evil",
    AT (LOCK, 2) "SET LOCAL search_path" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL SCHEMA 'evil'", AT (LOCK, 1) "SET LOCAL search_path" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL ROLE none", AT (LOCK, 1) "SET LOCAL role" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL TIME ZONE 'CET'", AT (LOCK, 1) "SET LOCAL timezone" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL SESSION AUTHORIZATION DEFAULT",
    AT (LOCK, 1) "SET LOCAL session_authorization" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL NAMES 'latin1'", AT (LOCK, 1) "SET LOCAL client_encoding" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL TRANSACTION READ ONLY",
    AT (LOCK, 1) "SET LOCAL transaction_isolation" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL \"pruned\" . secret_x = ''",
    AT (LOCK, 1) "SET LOCAL pruned.secret_x" RELIED_UPON },
  { LOCK, NULL, "SET LOCAL U&\"search\\005fpath\" = evil",
    AT (LOCK, 1) "SET LOCAL of a name with escapes" PLAINLY },
};

static void
test_settings_by_other_names (void)
{
  own_jobs_changes (SET, G_N_ELEMENTS (SET));
}

#define PAGE(line) AT ("page.sql", line)

static const OwnJobsChange CALLS[] = {
  { "page.sql", NULL, "SELECT 1,\n pg_catalog.set_config('SEARCH_path', 'evil', true)",
    PAGE (2) "set_config of search_path" RELIED_UPON },
  { "page.sql", NULL,
    "SELECT set_config('a.b', '1', true),\n\n \"set_config\" /* ( */ ( 'role' , 'x', true)",
    PAGE (3) "set_config of role" RELIED_UPON },
  { "page.sql", NULL, "SELECT set_config(E'search\\x5fpath', 'evil', true)", PAGE (1) NO_LITERAL },
  { "page.sql", NULL, "SELECT set_config($$role$$, 'x', true)", PAGE (1) NO_LITERAL },
  { "page.sql", NULL, "SELECT set_config('search' || '_path', 'x', true)", PAGE (1) NO_LITERAL },
  { "page.sql", NULL, "SELECT set_config('search'\n'_path', 'x', true)", PAGE (1) NO_LITERAL },
  { "page.sql", NULL,
    "SELECT set_config(setting_name => 'role', new_value => 'x', is_local => true)",
    PAGE (1) THIRD },
  { "page.sql", NULL, "SELECT set_config /* */ ('work_mem', '1', false)", PAGE (1) THIRD },
  { "page.sql", NULL, "UPDATE pg_settings SET setting = 'evil' WHERE name = 'search_path'",
    PAGE (1) "UPDATE of pg_settings " SESSION ": write SET LOCAL" },
  { "page.sql", NULL,
    "SELECT 1\n; UPDATE ONLY \"pg_catalog\" . \"pg_settings\" SET setting = 'evil'",
    PAGE (2) "UPDATE of pg_settings " SESSION ": write SET LOCAL" },
  { "page.sql", NULL, "SELECT\n pg_terminate_backend(pg_backend_pid())",
    PAGE (2) "pg_terminate_backend ends the work of a session: no step does that" },
  { "page.sql", NULL, "SELECT \"pg_cancel_backend\"(pg_backend_pid())",
    PAGE (1) "pg_cancel_backend ends the work of a session: no step does that" },
};

static void
test_calls_that_set_or_end_what_is_not_a_jobs (void)
{
  own_jobs_changes (CALLS, G_N_ELEMENTS (CALLS));
}

/* --- names --- */

#define APPLY(name) "apply/removed/" name ".sql"
#define NO_TABLE(name) "scratch.remove/" APPLY (name) ": "
#define DENIES(name, line, verb)                                                                   \
  AT (APPLY (name), line)                                                                          \
  verb " in a file that is named ."

static const OwnJobsChange NAMED[] = {
  { APPLY ("10-scratch.update"), NULL, OWN,
    DENIES ("10-scratch.update", 1, "DELETE") "update: name it without, or .delete" },
  { APPLY ("10-scratch.update"), NULL, "WITH delete AS (SELECT 'DELETE' FROM scratch)\n" OWN,
    DENIES ("10-scratch.update", 2, "DELETE") "update: name it without, or .delete" },
  { APPLY ("10-scratch.insert"), NULL, "/* delete\n*/ " OWN,
    DENIES ("10-scratch.insert", 2, "DELETE") "insert: what it changes is not recorded" },
  { APPLY ("20-other.insert"), NULL, "-- x\n" OWN,
    DENIES ("20-other.insert", 2, "DELETE") "insert: what it changes is not recorded" },
  { APPLY ("20-other.insert"), NULL, UPDATE,
    DENIES ("20-other.insert", 1, "UPDATE") "insert: what it changes is not recorded" },
  /* these do what their name says */
  { APPLY ("10-scratch.update"), NULL, UPDATE, NULL },
  { APPLY ("20-scratch.delete"), NULL, "WITH u AS (" UPDATE ") " OWN, NULL },
  { APPLY ("10-scratch.update"), NULL, "WITH d AS MATERIALIZED (" OWN ") " UPDATE, NULL },
  { APPLY ("20-other.insert"), NULL,
    "INSERT INTO other AS o SELECT unnest(:key::bigint[]) ON CONFLICT (id) DO UPDATE SET n = 1 "
    "RETURNING id AS key",
    NULL },
  { APPLY ("20-other.insert"), NULL,
    "(SELECT k AS key FROM unnest(:key::bigint[]) AS k FOR UPDATE)", NULL },
  /* these name no table */
  { APPLY ("010-a.b.c"), NULL, OWN,
    NO_TABLE (
        "010-a.b.c") "'a.b.c' is not TABLE or SCHEMA.TABLE, with .update or .insert behind it" },
  { APPLY ("010-orders."), NULL, OWN,
    NO_TABLE (
        "010-orders.") "'orders.' is not TABLE or SCHEMA.TABLE, with .update or .insert behind it" },
  { APPLY ("010-.orders"), NULL, OWN,
    NO_TABLE (
        "010-.orders") "'.orders' is not TABLE or SCHEMA.TABLE, with .update or .insert behind it" },
  { APPLY ("010-.update"), NULL, OWN, NO_TABLE ("010-.update") "the name says no table" },
  { APPLY ("010-orders.updat"), NULL, OWN,
    NO_TABLE (
        "010-orders.updat") "'orders.updat' ends like .update; if it is a table, write .delete behind it" },
  { APPLY ("010-orders.inserts"), NULL, OWN,
    NO_TABLE (
        "010-orders.inserts") "'orders.inserts' ends like .insert; if it is a table, write .delete behind it" },
};

static void
test_a_statement_does_not_what_the_name_of_its_file_denies (void)
{
  own_jobs_changes (NAMED, G_N_ELEMENTS (NAMED));
}

/* --- no text, no file --- */

#define DELETES APPLY ("10-scratch")

static const OwnJobsChange BYTES[] = {
  { DELETES, "-- Deletes", "-- D\xe9letes", AT (DELETES, 1) "not UTF-8 text" },
  { "page.sql", "-- Rows", "-- R\xf6ws", PAGE (1) "not UTF-8 text" },
  { DELETES, "RETURNING", "/* gone RETURNING",
    AT (DELETES, 5) "a quote or a comment begins here and is not closed" },
  { "decide.sql", NULL, "SELECT k AS key,\n 'kept AS what FROM unnest(:key::bigint[]) k",
    AT ("decide.sql", 2) "a quote or a comment begins here and is not closed" },
  /* a byte order mark is none of the text */
  { "page.sql", "-- Rows", "\xef\xbb\xbf-- Rows", NULL },
  { DELETES, "-- Deletes", "\xef\xbb\xbf-- Deletes", NULL },
  { "job.conf", "# A chain", "\xef\xbb\xbf# A chain", NULL },
};

static void
test_a_file_that_is_no_text (void)
{
  own_jobs_changes (BYTES, G_N_ELEMENTS (BYTES));
}

static void
test_a_file_with_a_nul_byte (void)
{
  static const char page[] = "SELECT s.id AS key\n, '\0' FROM scratch",
                    conf[] = "[job]\ntable = scratch\n\0\n[odd]\n";
  own_jobs_begin ();
  own_jobs_scratch ();
  g_assert_true (
      g_file_set_contents (own_jobs_path (OWN_JOB "/page.sql"), page, sizeof page - 1, NULL));
  own_jobs_expect ("page.sql", OWN_JOB, PAGE (2) "not UTF-8 text: a NUL byte");
  g_assert_true (
      g_file_set_contents (own_jobs_path (OWN_JOB "/job.conf"), conf, sizeof conf - 1, NULL));
  own_jobs_expect ("job.conf", OWN_JOB, AT ("job.conf", 3) "not UTF-8 text: a NUL byte");
}

/* Nothing waits for who would write, or reads without end. */
static void
test_what_is_no_file (void)
{
  static const char *const files[] = { "page.sql", "decide.sql", DELETES, "job.conf" };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *file = g_build_filename (OWN_JOB, files[i], NULL),
                    *want = g_strconcat (file, ": this is no file", NULL);
    own_jobs_begin ();
    own_jobs_scratch ();
    own_jobs_remove (file);
    g_assert_cmpint (mkfifo (own_jobs_path (file), 0600), ==, 0);
    own_jobs_expect ("a pipe", OWN_JOB, want);
    own_jobs_remove (file);
    g_assert_cmpint (symlink ("/dev/zero", own_jobs_path (file)), ==, 0);
    own_jobs_expect ("a device", OWN_JOB, want);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/job_files/" #name, test_##name)
  ADD (what_would_outlast_the_step);
  ADD (what_an_included_file_has);
  ADD (what_ends_with_the_step);
  ADD (settings_in_each_way_to_set_them);
  ADD (settings_by_other_names);
  ADD (calls_that_set_or_end_what_is_not_a_jobs);
  ADD (a_statement_does_not_what_the_name_of_its_file_denies);
  ADD (a_file_that_is_no_text);
  ADD (a_file_with_a_nul_byte);
  ADD (what_is_no_file);
  return config_test_run ();
}
