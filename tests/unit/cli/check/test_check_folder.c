/* Whether a folder is about tables that are there, and about rows of its own table. Which tables
 * are missing is played. */
#include "cli/check/check.h"

#include "support/catalogue.h"
#include "support/own_jobs.h"

#include <string.h>

#define TABLE "table = scratch\n"

static Pg *pg;

/* OLD of job.conf is NEW; MISSING: as missing.sql answers. */
static void
begin (const char *old, const char *new, const char *missing)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  own_jobs_replace (OWN_JOB "/job.conf", old, new);
  catalogue_begin ();
  played_answer ("missing", missing);
}

static char *
found (void (*look) (Check *check))
{
  own_jobs_expect ("it is loaded", OWN_JOB, NULL);
  g_auto (Check) check;
  check_begin (&check, own_jobs_loaded (), pg);
  check.job = jobs_find (own_jobs_loaded ()->jobs, OWN_JOB);
  look (&check);
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < check.findings->len; i++) {
    const CheckFinding *one = check.findings->pdata[i];
    g_string_append_printf (all, "%s%s:%d: %s: %s", i > 0 ? "\n" : "",
                            own_jobs_told (one->file) + strlen (OWN_JOB "/"), one->line, one->level,
                            one->detail);
  }
  return g_string_free (g_steal_pointer (&all), FALSE);
}

/* A table that is not there, how SQL is asked for it, and as what. */
static void
test_a_table_that_is_none (void)
{
  static const char *const cases[][3] = {
    { "scratches", "{scratches,scratch}", "table: there is no table scratches" },
    { "public.scratches", "{public.scratches,scratch}",
      "table: there is no table public.scratches" },
    { "'scratch'", "{\"\\\"'scratch'\\\"\",scratch}", "table: there is no table 'scratch'" },
    { "a.b.c", "{\"\\\"a.b.c\\\"\",scratch}", "table: there is no table a.b.c" },
    { "scratch s", "{\"\\\"scratch s\\\"\",scratch}", "table: there is no table scratch s" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *new = g_strdup_printf ("table = %s\n", cases[i][0]),
                    *want = g_strdup_printf (
                        "job.conf:7: error: %s\njob.conf:2: warning: no file of apply/removed is "
                        "about rows of %s: they stay as they are, and count as removed",
                        cases[i][2], cases[i][0]);
    begin (TABLE, new, "n\n1");
    g_autofree char *all = found (check_folder);
    g_assert_cmpstr (all, ==, want);
    g_assert_cmpstr (played_bound ("missing", "relation"), ==, cases[i][1]);
  }
}

static void
test_a_file_named_after_no_table (void)
{
  static const char *const cases[][2] = {
    { "scratch_note", "{scratch,scratch_note}" },
    { "scratch notes", "{scratch,\"\\\"scratch notes\\\"\"}" },
    { "'x'", "{scratch,\"\\\"'x'\\\"\"}" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *file = g_strdup_printf (OWN_JOB "/apply/removed/05-%s.sql", cases[i][0]),
                    *want = g_strdup_printf ("job.conf:2: error: a file of apply/ is named after "
                                             "%s: there is no such table",
                                             cases[i][0]);
    begin (TABLE, TABLE, "n\n2");
    own_jobs_write (file, "DELETE FROM notes n USING unnest(:key::bigint[]) AS k (id)\n"
                          "WHERE n.id = k.id RETURNING n.id AS key, to_jsonb(n) AS row\n");
    g_autofree char *all = found (check_folder);
    g_assert_cmpstr (all, ==, want);
    g_assert_cmpstr (played_bound ("missing", "relation"), ==, cases[i][1]);
  }
}

static void
test_what_a_job_needs (void)
{
  begin ("needs = scratch.day", "needs = scratch.nope; notes", "n");
  played_answer ("job_needs", "reason\nneeds: there is no column nope of scratch");
  g_autofree char *all = found (check_needs);
  g_assert_cmpstr (all, ==, "job.conf:12: error: needs: there is no column nope of scratch");
}

static void
test_warnings (void)
{
  begin ("table = scratch\n", "table = scratch\nlaunches = " OWN_JOB "\n", "n");
  own_jobs_replace (OWN_JOB "/page.sql", ":limit::int", "100");
  g_autofree char *all = found (check_folder);
  g_assert_cmpstr (all, ==,
                   "job.conf:2: warning: launches: it starts runs of itself: they have no end "
                   "unless children.sql returns fewer each time, down to none\n"
                   "job.conf:2: warning: page.sql has no LIMIT :limit::int: a page that returns "
                   "fewer rows is the last one, and one that returns all of them is no page");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/check_folder/table", test_a_table_that_is_none);
  g_test_add_func ("/check_folder/files", test_a_file_named_after_no_table);
  g_test_add_func ("/check_folder/needs", test_what_a_job_needs);
  g_test_add_func ("/check_folder/warnings", test_warnings);
  PgSettings settings = { .url = "", .app_schema = "public", .name = "test" };
  pg = pg_new (&settings);
  int failed = config_test_run ();
  pg_free (pg);
  return failed;
}
