/* When a statement reads its records back, and what becomes of the answer. */
#include "engine/step/read_back.h"

#include "support/played.h"

#define PLAIN "DELETE FROM a WHERE :audit.proven::text IS NULL"

static const PgStatement *
statement (void)
{
  const char *sibling = PLAIN " OR :audit.texts::text[] IS NULL";
  g_assert_nonnull (pg_statement_changing ("a#key#back", sibling, "a", NULL));
  return pg_statement_changing ("a#key", PLAIN, "a", NULL);
}

static const char *audit = "full";

static Step *
step_of (const Job *job, Run *run)
{
  *run = (Run){ .job = job };
  Step *step = step_new (NULL, run, "pruned", NULL, NULL);
  step->common = pg_values_new ();
  pg_values_set (step->common, "audit", audit);
  pg_values_set (step->common, "audit_of", "{}");
  pg_values_set (step->common, "secret", "token");
  pg_values_set (step->common, "record", "[]");
  return step;
}

/* TEXTS NULL: the statement is run as it is; else its sibling. */
static void
assert_bound (const Job *job, const char *proven, const char *texts)
{
  Run run;
  Step *step = step_of (job, &run);
  g_autoptr (PgValues) values = pg_values_new ();
  const PgStatement *now = read_back_statement (step, statement ());
  g_assert_cmpint (now == statement (), ==, texts == NULL);
  read_back_bind (step, now, values);
  g_assert_cmpstr (pg_values_get (values, "audit.proven"), ==, proven);
  if (texts != NULL)
    g_assert_cmpstr (pg_values_get (values, "audit.texts"), ==, texts);
  step_free (step);
}

/* The verdict for an answer; 0: it is well. */
static int
taken (const Job *job, const char *answer, gboolean *blocked)
{
  Run run;
  g_autoptr (GError) error = NULL;
  Step *step = step_of (job, &run);
  g_autofree char *text = g_strconcat ("key|audit_back\n1|", answer, NULL);
  g_autoptr (PgRows) rows = played_rows (text);
  const gboolean ok = read_back_take (step, rows, &error);
  g_assert_cmpint (ok, ==, error == NULL);
  *blocked = step->blocked;
  step_free (step);
  return ok ? 0 : error->code;
}

#define WELL(definition, texts)                                                                    \
  "{\"table\":\"a\",\"definition\":\"" definition "\",\"texts\":\"" texts "\"}"
#define LOST                                                                                       \
  "{\"table\":\"a\",\"definition\":\"7\",\"texts\":\"{=h}\",\"lost\":\"h\",\"type\":\"hstore\"}"

static void
test_once_for_a_version_and_a_definition (void)
{
  const Job job = { .name = "a.one", .version = "1" }, next = { .name = "a.one", .version = "2" };
  gboolean blocked;
  assert_bound (&job, "?", "{}");
  g_assert_cmpint (taken (&job, "-", &blocked), ==, 0);
  assert_bound (&job, "?", "{}");
  g_assert_cmpint (taken (&job, WELL ("7", "{~f}"), &blocked), ==, 0);
  assert_bound (&job, "7", NULL);
  assert_bound (&next, "?", "{}");
  g_assert_cmpint (taken (&next, WELL ("8", "{}"), &blocked), ==, 0);
  assert_bound (&next, "8", NULL);
}

static void
test_a_built_in_job_goes_on_with_texts (void)
{
  const Job job = { .name = "a.built", .version = "1", .built_in = TRUE };
  gboolean blocked;
  g_assert_cmpint (taken (&job, WELL ("7", "{}"), &blocked), ==, 0);
  assert_bound (&job, "7", NULL);
  g_assert_cmpint (taken (&job, WELL ("8", "{=h}"), &blocked), ==, 0);
  assert_bound (&job, "8", "{=h}");
}

static void
test_other_records_are_read_back_again (void)
{
  const Job job = { .name = "a.keys", .version = "1" };
  gboolean blocked;
  audit = "keys";
  g_assert_cmpint (taken (&job, "{\"table\":\"a\",\"definition\":\"7\"}", &blocked), ==, 0);
  assert_bound (&job, "7", NULL);
  audit = "full";
  assert_bound (&job, "?", "{}");
}

static void
test_what_is_lost_blocks_each_time (void)
{
  const Job job = { .name = "a.lost", .version = "1" };
  gboolean blocked;
  for (int i = 0; i < 2; i++) {
    g_assert_cmpint (taken (&job, LOST, &blocked), !=, 0);
    g_assert_true (blocked);
    assert_bound (&job, "?", "{}");
  }
}

/* The statement has failed as busy. */
static void
test_an_altered_table_is_looked_at_again (void)
{
  const Job job = { .name = "a.altered", .version = "1" }, other = { .name = "a.alter" };
  gboolean blocked;
  g_assert_cmpint (taken (&job, WELL ("6", "{}"), &blocked), ==, 0);
  g_assert_false (read_back_forget (&other));
  assert_bound (&job, "6", NULL);
  g_assert_true (read_back_forget (&job));
  assert_bound (&job, "?", "{}");
}

static void
test_rows_that_are_final_need_not_come_back (void)
{
  const Job job = { .name = "a.final", .version = "1", .final = "so it is" };
  assert_bound (&job, NULL, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/read_back/once", test_once_for_a_version_and_a_definition);
  g_test_add_func ("/read_back/texts", test_a_built_in_job_goes_on_with_texts);
  g_test_add_func ("/read_back/keys", test_other_records_are_read_back_again);
  g_test_add_func ("/read_back/lost", test_what_is_lost_blocks_each_time);
  g_test_add_func ("/read_back/altered", test_an_altered_table_is_looked_at_again);
  g_test_add_func ("/read_back/final", test_rows_that_are_final_need_not_come_back);
  return g_test_run ();
}
