#include "engine/step/pace.h"

#define GOAL 2000000

static void
test_a_long_step_halves_the_page (void)
{
  g_assert_cmpint (pace_next_limit (1000, 1000, 1000, GOAL + 1, GOAL), ==, 500);
  g_assert_cmpint (pace_next_limit (500, 500, 1000, GOAL + 1, GOAL), ==, 250);
  g_assert_cmpint (pace_next_limit (1, 1, 1000, GOAL + 1, GOAL), ==, 1);
}

/* The next step has less to do, however many rows this one would have been allowed. */
static void
test_half_of_what_the_step_had (void)
{
  g_assert_cmpint (pace_next_limit (1000, 10, 1000, GOAL + 1, GOAL), ==, 5);
  g_assert_cmpint (pace_next_limit (5, 1000, 1000, GOAL + 1, GOAL), ==, 2);
  g_assert_cmpint (pace_next_limit (1000, 0, 1000, GOAL + 1, GOAL), ==, 500);
  g_assert_cmpint (pace_next_limit (1000, 1, 1000, GOAL + 1, GOAL), ==, 1);
}

static void
test_a_step_near_the_goal_changes_nothing (void)
{
  g_assert_cmpint (pace_next_limit (500, 500, 1000, GOAL, GOAL), ==, 500);
  g_assert_cmpint (pace_next_limit (500, 500, 1000, GOAL / 2, GOAL), ==, 500);
}

/* By a tenth of the job's page, and by no more than the limit itself. */
static void
test_quick_steps_let_it_grow (void)
{
  g_assert_cmpint (pace_next_limit (500, 500, 1000, 1000, GOAL), ==, 600);
  g_assert_cmpint (pace_next_limit (4, 4, 1000, 1000, GOAL), ==, 8);
  g_assert_cmpint (pace_next_limit (1, 1, 5, 1000, GOAL), ==, 2);
  g_assert_cmpint (pace_next_limit (950, 950, 1000, 1000, GOAL), >=, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pace/halves", test_a_long_step_halves_the_page);
  g_test_add_func ("/pace/half_of_what_it_had", test_half_of_what_the_step_had);
  g_test_add_func ("/pace/stays", test_a_step_near_the_goal_changes_nothing);
  g_test_add_func ("/pace/grows", test_quick_steps_let_it_grow);
  return g_test_run ();
}
