/* Leases take their rows from those of a day before any object is touched: docs/design-parts.md,
 * "The rows of a day". */
#include "support/days.h"

#define LIMIT "max_rows_per_day = 1000\n"
#define COUNT "day_alone day"

static StepScene *scene;

static gboolean
lease (Step *const *steps, guint n, GError **error)
{
  day_allowance_clear (&days_allowance);
  days_allowance = (DayAllowance){ 0 };
  steps[0]->again = FALSE;
  return day_take_leased (steps, n, &days_allowance, error);
}

/* ROWS that the step of the scene has leased. */
static gboolean
lease_alone (gint64 rows, GError **error)
{
  Step *const steps[] = { scene->step };
  step_tries (scene->step, rows);
  return lease (steps, 1, error);
}

static void
leases_alone (gint64 rows, const char *asked)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (lease_alone (rows, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (played_asked (), ==, asked);
}

/* What it has leased before is settled, or leased anew. */
static void
test_a_lease_does_not_count_its_own_former_lease (void)
{
  scene = days_begin (LIMIT, FALSE);
  days_answer_count ("300", "a", 75);
  leases_alone (100, DAYS_COUNTED);
  g_assert_cmpstr (played_bound ("day", "leases"), ==, STEPS_RUN);
  g_assert_null (played_bound ("day", "but"));
  day_took (&days_allowance);
  days_answer (NULL, "a", NULL);
  leases_alone (75, DAYS_MEMORY);
  days_end ();
}

static gint64
room (void)
{
  g_autoptr (GError) error = NULL;
  gint64 rows;
  g_assert_true (day_room (scene->step, &rows, &error));
  g_assert_no_error (error);
  return rows;
}

/* Then it leases as many as there is room for. */
static void
test_a_lease_that_is_too_large_is_told_the_room (void)
{
  g_autoptr (GError) error = NULL;
  scene = days_begin (LIMIT, FALSE);
  days_answer ("990", NULL, NULL);
  g_assert_cmpint (room (), ==, LIMIT_NONE);
  g_assert_cmpstr (played_asked (), ==, "");
  g_assert_false (lease_alone (11, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_BUSY);
  g_assert_true (scene->step->again);
  g_assert_cmpint (scene->step->brake, ==, BRAKE_NONE);
  g_assert_cmpstr (played_asked (), ==, COUNT);
  days_answer ("990", NULL, NULL);
  g_assert_cmpint (room (), ==, 10);
  g_assert_cmpstr (played_bound ("day", "but"), ==, STEPS_RUN);
  g_assert_cmpstr (played_bound ("day", "leases"), ==, STEPS_RUN);
  days_answer ("1200", NULL, NULL);
  g_assert_cmpint (room (), ==, 0);
  days_answer_count ("990", "a", 0);
  leases_alone (10, DAYS_COUNTED);
  day_took (&days_allowance);
  g_assert_cmpint (room (), ==, LIMIT_NONE);
  days_end ();
}

/* They take what the process was given, and are refused where rows have to be counted. */
static void
test_several_leases_count_nothing (void)
{
  scene = days_begin (LIMIT, FALSE);
  Step *other = step_new (NULL, &scene->run, "p", NULL, NULL), *steps[] = { scene->step, other };
  g_autoptr (GError) error = NULL;
  step_tries (scene->step, 20);
  step_tries (other, 30);
  days_answer (NULL, NULL, NULL);
  g_assert_false (lease (steps, 2, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_BUSY);
  g_assert_cmpstr (played_asked (), ==, "");
  g_clear_error (&error);
  days_answer_count ("300", "a", 85);
  days_takes (20, DAYS_COUNTED);
  day_took (&days_allowance);
  days_answer (NULL, "a", NULL);
  g_assert_true (lease (steps, 2, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (played_asked (), ==, DAYS_MEMORY);
  days_answer (NULL, "a", NULL);
  leases_alone (35, DAYS_MEMORY); /* of the 85 */
  step_free (other);
  days_end ();
}

/* Rows below those that it leases. */
static void
test_rows_below_count (void)
{
  scene = days_begin (LIMIT, FALSE);
  scene->step->rows = 40;
  days_answer_count ("300", "a", 75);
  leases_alone (10, DAYS_COUNTED);
  g_assert_cmpstr (played_bound ("day_counted", "given"), ==, "422"); /* 340 + 660 / 8 */
  days_end ();
}

static void
test_without_a_limit_nothing_is_asked (void)
{
  scene = days_begin ("max_rows_per_day = off\n", FALSE);
  days_answer (NULL, NULL, NULL);
  leases_alone (1000000, "");
  g_assert_cmpint (room (), ==, LIMIT_NONE);
  days_end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/day_lease/own", test_a_lease_does_not_count_its_own_former_lease);
  g_test_add_func ("/day_lease/room", test_a_lease_that_is_too_large_is_told_the_room);
  g_test_add_func ("/day_lease/several", test_several_leases_count_nothing);
  g_test_add_func ("/day_lease/below", test_rows_below_count);
  g_test_add_func ("/day_lease/off", test_without_a_limit_nothing_is_asked);
  return config_test_run ();
}
