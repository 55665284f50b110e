/* How many rows of what width a page has. */
#include "engine/step/pace.h"

#define MB 1048576

static void
test_as_many_rows_as_fit (void)
{
  g_assert_cmpint (pace_weight_rows (500, 500 * 2 * MB, 16 * MB), ==, 8);
  g_assert_cmpint (pace_weight_rows (1000, 1000 * 100, 16 * MB), ==, 167772);
  g_assert_cmpint (pace_weight_rows (3, 3, 16 * MB), ==, 16 * MB);
}

/* One row always goes, however wide it is; and rows that nobody has weighed go as before. */
static void
test_at_least_one_and_any_if_not_known (void)
{
  g_assert_cmpint (pace_weight_rows (10, G_GINT64_CONSTANT (10) * 200 * MB, 16 * MB), ==, 1);
  g_assert_cmpint (pace_weight_rows (0, 100, 16 * MB), ==, G_MAXINT64);
  g_assert_cmpint (pace_weight_rows (100, 0, 16 * MB), ==, G_MAXINT64);
}

/* Wide rows count at once, narrow ones by and by: so rows of both kinds are not cut at each turn.
 */
static void
test_what_is_remembered_of_a_row (void)
{
  g_assert_cmpint (pace_weight_of_row (0, 500, 500 * 2 * MB), ==, 2 * MB);
  g_assert_cmpint (pace_weight_of_row (100, 8, 8 * 2 * MB), ==, 2 * MB);
  g_assert_cmpint (pace_weight_of_row (2 * MB, 8, 8 * 100), ==, MB);
  g_assert_cmpint (pace_weight_of_row (150, 1000, 1000 * 100), ==, 100);
  g_assert_cmpint (pace_weight_of_row (150, 0, 0), ==, 150);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weight/fits", test_as_many_rows_as_fit);
  g_test_add_func ("/weight/least", test_at_least_one_and_any_if_not_known);
  g_test_add_func ("/weight/remembered", test_what_is_remembered_of_a_row);
  return g_test_run ();
}
