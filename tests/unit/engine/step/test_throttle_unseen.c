/* Housekeeping never looks: how long a run waits for the first look. A process waits once. */
#include "engine/step/throttle.h"

#include "support/jobs.h"
#include "support/played.h"

#define JOB "members.remove_expired"

/* The monotonic clock that the wait asks is 2.9 s behind this machine's: so a deadline 3 s ahead of
 * it comes in 0.1 s. By the clock of the day it would come in 3 s, or at a jump. */
static void
test_the_wait_ends_by_the_monotonic_clock (void)
{
  ThrottleReason reason;
  Jobs *jobs = jobs_in_force ("");
  played_begin ();
  played_later (-2900 * G_TIME_SPAN_MILLISECOND);
  const gint64 began_us = g_get_monotonic_time ();
  g_assert_null (throttle_of (jobs_find (jobs, JOB), &reason));
  const gint64 waited_us = g_get_monotonic_time () - began_us;
  g_assert_cmpint (waited_us, >=, 90 * G_TIME_SPAN_MILLISECOND);
  g_assert_cmpint (waited_us, <, 2500 * G_TIME_SPAN_MILLISECOND);
  jobs_in_force_end ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/throttle/unseen", test_the_wait_ends_by_the_monotonic_clock);
  return config_test_run ();
}
