/* When a statement reads its records back, and what becomes of the answer. */
#include "engine/step/read_back.h"

#include "support/played.h"

static const PgStatement *
statement (void)
{
  return pg_statement_changing (
      "read_back", "DELETE FROM a WHERE :proven::text = '' OR :texts::text[] IS NULL", "a", NULL);
}

static Step *
step_of (const Job *job, Run *run)
{
  *run = (Run){ .job = job };
  return step_new (NULL, run, "pruned", NULL, NULL);
}

static void
assert_bound (const Job *job, const char *proven, const char *texts)
{
  Run run;
  Step *step = step_of (job, &run);
  g_autoptr (PgValues) values = pg_values_new ();
  read_back_bind (step, statement (), values);
  g_assert_cmpstr (pg_values_get (values, "proven"), ==, proven);
  g_assert_cmpstr (pg_values_get (values, "texts"), ==, texts);
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

static void
test_once_for_a_version_and_a_definition (void)
{
  const Job job = { .name = "a.one", .version = "1" }, next = { .name = "a.one", .version = "2" };
  gboolean blocked;
  assert_bound (&job, "", "{}");
  g_assert_cmpint (taken (&job, "-", &blocked), ==, 0);
  assert_bound (&job, "", "{}");
  g_assert_cmpint (
      taken (&job, "{\"table\":\"a\",\"definition\":\"full 7\",\"texts\":\"{}\"}", &blocked), ==,
      0);
  assert_bound (&job, "full 7", NULL);
  assert_bound (&next, "", "{}");
  g_assert_cmpint (
      taken (&job, "{\"table\":\"a\",\"definition\":\"full 8\",\"texts\":\"{=h}\"}", &blocked), ==,
      0);
  assert_bound (&job, "full 8", "{=h}");
}

static void
test_without_whole_rows (void)
{
  const Job job = { .name = "a.keys", .version = "1" };
  gboolean blocked;
  g_assert_cmpint (taken (&job, "{\"table\":\"a\",\"definition\":\"keys 7\"}", &blocked), ==, 0);
  assert_bound (&job, "keys 7", NULL);
}

#define LOST                                                                                       \
  "{\"table\":\"a\",\"definition\":\"full 7\",\"texts\":\"{=h}\",\"lost\":\"h\",\"type\":\"hstore\"}"

static void
test_what_is_lost_blocks_each_time (void)
{
  const Job job = { .name = "a.lost", .version = "1" };
  gboolean blocked;
  for (int i = 0; i < 2; i++) {
    g_assert_cmpint (taken (&job, LOST, &blocked), !=, 0);
    g_assert_true (blocked);
    assert_bound (&job, "", "{=h}");
  }
}

/* What is bound was of the table as it had been. */
static void
test_an_altered_table_is_looked_at_again (void)
{
  const Job job = { .name = "a.altered", .version = "1" };
  gboolean blocked;
  g_assert_cmpint (
      taken (&job, "{\"table\":\"a\",\"definition\":\"full 6\",\"texts\":\"{}\"}", &blocked), ==,
      0);
  g_assert_cmpint (taken (&job, LOST, &blocked), ==, PRUNED_BUSY);
  g_assert_false (blocked);
  assert_bound (&job, "", "{=h}");
}

static void
test_rows_that_are_final_need_not_come_back (void)
{
  const Job job = { .name = "a.final", .version = "1", .final = "so it is" };
  gboolean blocked;
  g_assert_cmpint (taken (&job, LOST, &blocked), ==, 0);
  assert_bound (&job, "full 7", "{=h}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/read_back/once", test_once_for_a_version_and_a_definition);
  g_test_add_func ("/read_back/keys", test_without_whole_rows);
  g_test_add_func ("/read_back/lost", test_what_is_lost_blocks_each_time);
  g_test_add_func ("/read_back/altered", test_an_altered_table_is_looked_at_again);
  g_test_add_func ("/read_back/final", test_rows_that_are_final_need_not_come_back);
  return g_test_run ();
}
