/* The time that a job's statements compare their rows with. */
#include "engine/step/step.h"

#include "base/clock.h"

#define TODAY "2026-11-27T03:00:00.000000Z"
#define EARLIER "2026-11-26T03:00:00.000000Z"
#define LATER "2030-01-01T00:00:00.000000Z"

/* What is bound for `:scheduled_at` of a run for the time T, while the database's clock says NOW.
 */
static char *
bound (const char *t, const char *now, gboolean plan)
{
  const PgStatement *statement
      = pg_statement_text ("test", "SELECT 1 WHERE :scheduled_at::timestamptz < now()", NULL);
  const Job job = { .name = "a.job" };
  Run run = { .job = &job };
  g_assert_true (clock_parse (t, &run.scheduled_at_us, NULL));
  g_assert_true (clock_parse (now, &run.now_us, NULL));
  Step *step = step_new (NULL, &run, "pruned", NULL, NULL);
  step->plan = plan;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  step_free (step);
  return g_strdup (pg_values_get (values, "scheduled_at"));
}

static void
test_a_time_that_has_come_is_bound_as_it_is (void)
{
  g_autofree char *earlier = bound (EARLIER, TODAY, FALSE), *same = bound (TODAY, TODAY, FALSE);
  g_assert_cmpstr (earlier, ==, EARLIER);
  g_assert_cmpstr (same, ==, TODAY);
}

/* Whatever let the run begin early. */
static void
test_a_time_to_come_is_bound_as_the_databases_now (void)
{
  g_autofree char *later = bound (LATER, TODAY, FALSE);
  g_assert_cmpstr (later, ==, TODAY);
}

static void
test_only_a_plan_looks_ahead (void)
{
  g_autofree char *later = bound (LATER, TODAY, TRUE), *earlier = bound (EARLIER, TODAY, TRUE);
  g_assert_cmpstr (later, ==, LATER);
  g_assert_cmpstr (earlier, ==, EARLIER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_bind/past", test_a_time_that_has_come_is_bound_as_it_is);
  g_test_add_func ("/step_bind/future", test_a_time_to_come_is_bound_as_the_databases_now);
  g_test_add_func ("/step_bind/plan", test_only_a_plan_looks_ahead);
  return g_test_run ();
}
