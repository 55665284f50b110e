/* How much is fetched ahead, and how long a fetch of idle partitions may take. */
#include "kafka/fetcher.h"

static guint
wait_of (guint n_partitions)
{
  return (guint)g_ascii_strtoull (fetcher_limits (n_partitions).wait_ms, NULL, 10);
}

static guint
messages_of (guint n_partitions)
{
  return (guint)g_ascii_strtoull (fetcher_limits (n_partitions).messages, NULL, 10);
}

static void
test_few_partitions_are_asked_for_often (void)
{
  g_assert_cmpuint (wait_of (0), ==, 10);
  g_assert_cmpuint (wait_of (60), ==, 50);
  g_assert_cmpuint (wait_of (120), ==, 60);
}

static void
test_many_idle_partitions_cost_no_more_than_few (void)
{
  g_assert_cmpuint (wait_of (300), ==, 360);
  g_assert_cmpuint (wait_of (5000), ==, 500);
  for (guint n = 125; n <= 350; n++) /* a fetch costs the square of its partitions */
    g_assert_cmpuint (n * n / wait_of (n), <=, 260);
}

static void
test_a_busy_partition_has_enough_messages_for_the_wait (void)
{
  for (guint n = 1; n <= 130; n++) /* 15,000 a second */
    g_assert_cmpuint (messages_of (n), >=, 15 * wait_of (n));
  for (guint n = 131; n <= 1000; n++) /* its bytes are the limit */
    g_assert_cmpuint (messages_of (n), >=, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/few", test_few_partitions_are_asked_for_often);
  g_test_add_func ("/many", test_many_idle_partitions_cost_no_more_than_few);
  g_test_add_func ("/busy", test_a_busy_partition_has_enough_messages_for_the_wait);
  return g_test_run ();
}
