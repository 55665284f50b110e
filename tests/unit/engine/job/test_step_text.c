/* What the SQL files of a job may be: docs/adding-a-job.md, "SQL files". */
#include "engine/job/step_text.h"

#include <string.h>

typedef struct {
  const char *text, *why; /* WHY: a part of the error; NULL: it fits */
} Case;

static const Case FILES[] = {
  { "SELECT 1", NULL },
  { "-- Why it is fast.\nWITH x AS (SELECT 1) SELECT * FROM x", NULL },
  { "VALUES (1)", NULL },
  { "TABLE members", NULL },
  { "INSERT INTO a DEFAULT VALUES", NULL },
  { "UPDATE a SET b = 1", NULL },
  { "delete from a", NULL },
  { "MERGE INTO a USING b ON true WHEN MATCHED THEN DELETE", NULL },
  { "LOCK TABLE a IN SHARE MODE", NULL },
  { "SET LOCAL work_mem = '64MB'", NULL },
  { "SET LOCAL my.setting = '1'", NULL },
  { "SET CONSTRAINTS ALL DEFERRED", NULL },
  { "SELECT pg_catalog.set_config('my.setting', '1', true)", NULL },
  { "SELECT pg_catalog.pg_advisory_xact_lock(1)", NULL },
  { "SELECT 'pg_advisory_lock(1)'", NULL },
  { "SELECT 1 -- pg_advisory_lock(1)", NULL },
  { "(SELECT 1)", NULL },
  { "TRUNCATE a", "TRUNCATE is no statement of a step" },
  { "/* select */ Vacuum a", "VACUUM is no statement of a step" },
  { "CREATE TABLE a ()", "CREATE is no statement of a step" },
  { "COMMIT", "COMMIT is no statement of a step" },
  { "BEGIN", "BEGIN is no statement of a step" },
  { "CALL a()", "CALL is no statement of a step" },
  { "DO $$ $$", "DO is no statement of a step" },
  { "COPY a TO STDOUT", "COPY is no statement of a step" },
  { "PREPARE a AS SELECT 1", "PREPARE is no statement of a step" },
  { "NOTIFY a", "NOTIFY is no statement of a step" },
  { "SET TRANSACTION READ ONLY", "SET is no statement of a step" },
  { "SET work_mem = '64MB'", "write SET LOCAL" },
  { "SET SESSION work_mem = '64MB'", "write SET LOCAL" },
  { "RESET ALL", "RESET is no statement of a step" },
  { "SET LOCAL search_path = a", "search_path" },
  { "SET LOCAL ROLE a", "role" },
  { "SET LOCAL TimeZone = 'UTC'", "timezone" },
  { "SET LOCAL statement_timeout = 0", "statement_timeout" },
  { "SELECT set_config('search_path', 'a', true)", "search_path" },
  { "SELECT set_config('my.setting', '1', false)", "set_config" },
  { "SELECT set_config(a.name, '1', true) FROM a", "set_config" },
  { "SELECT pg_advisory_lock(1)", "pg_advisory_lock" },
  { "SELECT \"pg_advisory_lock\" (1)", "pg_advisory_lock" },
  { "SELECT pg_try_advisory_lock(1)", "pg_try_advisory_lock" },
  { "SELECT pg_terminate_backend(1)", "pg_terminate_backend" },
  { "SELECT pg_cancel_backend(1)", "pg_cancel_backend" },
  { "SELECT a AT TIME ZONE 'Europe/Berlin', b AT TIME ZONE INTERVAL '+03:00'", NULL },
  { "SELECT at, 'AT TIME ZONE UTC+3', timezone FROM a AS at", NULL },
  { "SELECT a AT TIME ZONE 'Etc/GMT+3', timezone('EST5EDT', a)", NULL },
  { "SELECT a AT TIME ZONE 'UTC+3'", "AT TIME ZONE 'UTC+3' is read by the rules of POSIX" },
  { "SELECT a at time\n zone ('+03:00')", "TIME ZONE '+03:00' is read by the rules of POSIX" },
  { "SELECT a < '2026-01-01 00:00 UTC+3'::timestamptz",
    "UTC+3 in '2026-01-01 00:00 UTC+3' is read by the rules of POSIX" },
  { "SELECT a < E'2026-01-01T00:00CET-01:00 '", "CET-01:00 in '2026-01-01T00:00CET-01:00 '" },
  { "SELECT a < '2026-01-01 00:00+03', b < '2026-01-01 00:00:00 +03:00'", NULL },
  { "SELECT a < '2026-01-01 00:00 Europe/Berlin', b < '2026-01-01 Etc/GMT+3'", NULL },
  { "SELECT a = 'UTC+3', b = 'model ABC-12', c < '2026-01-01 CET' -- '2026-01-01 UTC+3'", NULL },
  { "SELECT timezone ('CET-1CEST', a)", "TIMEZONE of 'CET-1CEST' is read by the rules of POSIX" },
};

static void
test_files (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++) {
    g_autoptr (GError) error = NULL;
    g_test_message ("%s", FILES[i].text);
    g_assert_cmpint (step_text_fits ("page.sql", FILES[i].text, &error), ==, FILES[i].why == NULL);
    if (FILES[i].why == NULL)
      continue;
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_true (g_str_has_prefix (error->message, "page.sql: "));
    g_assert_nonnull (strstr (error->message, FILES[i].why));
  }
}

/* FOR is also a word of functions, and of names. */
static void
test_queries_that_lock_rows (void)
{
  static const struct {
    const char *text;
    gboolean locks;
  } cases[] = {
    { "SELECT 1 FROM a FOR UPDATE", TRUE },
    { "SELECT 1 FROM a for no key update of a", TRUE },
    { "SELECT 1 FROM a FOR SHARE SKIP LOCKED", TRUE },
    { "SELECT 1 FROM a FOR KEY SHARE", TRUE },
    { "SELECT (SELECT 1 FROM a FOR\n/* x */ UPDATE)", TRUE },
    { "SELECT substring((SELECT x FROM a FOR UPDATE) FOR 3)", TRUE },
    { "SELECT 1 FROM a", FALSE },
    { "SELECT substring(x FOR share) FROM a", FALSE },
    { "SELECT overlay(x PLACING y FROM 1 FOR update) FROM a", FALSE },
    { "SELECT 'FOR UPDATE'", FALSE },
    { "SELECT 1 -- FOR UPDATE", FALSE },
    { "SELECT \"for\" update FROM a", FALSE },
    { "SELECT 1 FROM a FOR READ ONLY", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (step_text_locks (cases[i].text), ==, cases[i].locks);
  }
}

static void
test_conditions (void)
{
  static const Case cases[] = {
    { "deleted_at < :T - interval '30 days'", NULL },
    { "EXISTS (SELECT FROM a WHERE a.id = id)", NULL },
    { "EXISTS (SELECT FROM a WHERE a.id = id FOR SHARE)", "locks no rows" },
    { "pg_try_advisory_lock(id)", "pg_try_advisory_lock" },
    { "set_config('role', 'a', true) = 'a'", "set_config" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_cmpint (step_text_is_condition (cases[i].text, &error), ==, cases[i].why == NULL);
    if (cases[i].why != NULL)
      g_assert_nonnull (strstr (error->message, cases[i].why));
  }
}

/* A file does what its name says: with another verb the audit would not have its rows. */
static void
test_verbs_of_apply (void)
{
  static const struct {
    gboolean updates;
    const char *text, *why;
  } cases[] = {
    { TRUE, "UPDATE a SET b = 1 RETURNING id AS key", NULL },
    { TRUE, "WITH k AS (DELETE FROM b RETURNING id) UPDATE a SET b = 1", NULL },
    { TRUE, "DELETE FROM a", "DELETE in a file that is named .update" },
    { TRUE, "WITH k AS (SELECT 1) DELETE FROM a", "DELETE in a file that is named .update" },
    { FALSE, "INSERT INTO a SELECT 1", NULL },
    { FALSE, "INSERT INTO a SELECT 1 ON CONFLICT (id) DO UPDATE SET b = 1", NULL },
    { FALSE, "WITH update AS (SELECT 1) INSERT INTO a SELECT 1", NULL },
    { FALSE, "DELETE FROM a", "DELETE in a file that is named .insert" },
    { FALSE, "UPDATE a SET b = 1", "UPDATE in a file that is named .insert" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (step_text_does ("x.sql", cases[i].text, cases[i].updates, &error), ==,
                     cases[i].why == NULL);
    if (cases[i].why != NULL)
      g_assert_nonnull (strstr (error->message, cases[i].why));
  }
}

static void
test_inserts_that_may_update (void)
{
  g_assert_true (step_text_upserts ("INSERT INTO a SELECT 1 ON CONFLICT (id) DO UPDATE SET b = 1"));
  g_assert_true (step_text_upserts ("merge into a using b on true when matched then do nothing"));
  g_assert_false (step_text_upserts ("INSERT INTO a SELECT 1 ON CONFLICT DO NOTHING"));
  g_assert_false (step_text_upserts ("INSERT INTO a SELECT 'DO UPDATE' -- merge"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_text/files", test_files);
  g_test_add_func ("/step_text/locks", test_queries_that_lock_rows);
  g_test_add_func ("/step_text/conditions", test_conditions);
  g_test_add_func ("/step_text/verbs", test_verbs_of_apply);
  g_test_add_func ("/step_text/upserts", test_inserts_that_may_update);
  return g_test_run ();
}
