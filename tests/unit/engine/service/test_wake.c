/* The alarm clock. A sleep that would be wrong lasts longer than the test may. */
#include "engine/service/wake.h"

#include <pthread.h>

#define LONG_MS (10 * 60 * 1000)
#define LONG_US (1000 * (gint64)LONG_MS)

static void
test_it_sleeps_no_longer_than_asked (void)
{
  Wake *wake = wake_new ();
  g_assert_true (wake_sleep (wake, 1000));
  wake_in (wake, LONG_MS);
  g_assert_true (wake_sleep (wake, 1000));
  wake_free (wake);
}

static void
test_the_earliest_time_counts (void)
{
  static const gint64 delays[][2] = { { LONG_MS, 0 }, { 0, LONG_MS }, { -5, LONG_MS } };
  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    Wake *wake = wake_new ();
    wake_in (wake, delays[i][0]);
    wake_in (wake, delays[i][1]);
    g_assert_true (wake_sleep (wake, LONG_US));
    wake_free (wake);
  }
}

/* A time is for one sleep: the next one is as long as asked. */
static void
test_a_time_wakes_once (void)
{
  Wake *wake = wake_new ();
  wake_in (wake, 0);
  g_assert_true (wake_sleep (wake, LONG_US));
  const gint64 before_us = g_get_monotonic_time ();
  g_assert_true (wake_sleep (wake, 20000));
  g_assert_cmpint (g_get_monotonic_time () - before_us, >=, 20000);
  wake_free (wake);
}

static void *
sleep_long (void *wake)
{
  return GINT_TO_POINTER (wake_sleep (wake, LONG_US));
}

static void
test_another_thread_wakes_it (void)
{
  void *woken;
  pthread_t sleeper;
  Wake *wake = wake_new ();
  g_assert_cmpint (pthread_create (&sleeper, NULL, sleep_long, wake), ==, 0);
  wake_in (wake, 1);
  pthread_join (sleeper, &woken);
  g_assert_true (GPOINTER_TO_INT (woken));
  wake_free (wake);
}

static void
test_a_stop_ends_this_sleep_and_every_later_one (void)
{
  void *woken;
  pthread_t sleeper;
  Wake *wake = wake_new ();
  g_assert_cmpint (pthread_create (&sleeper, NULL, sleep_long, wake), ==, 0);
  wake_stop (wake);
  pthread_join (sleeper, &woken);
  g_assert_false (GPOINTER_TO_INT (woken));
  g_assert_false (wake_sleep (wake, LONG_US));
  wake_free (wake);
}

static void
test_without_a_clock_nothing_happens (void)
{
  wake_in (NULL, 0);
  wake_free (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wake/most", test_it_sleeps_no_longer_than_asked);
  g_test_add_func ("/wake/earliest", test_the_earliest_time_counts);
  g_test_add_func ("/wake/once", test_a_time_wakes_once);
  g_test_add_func ("/wake/another", test_another_thread_wakes_it);
  g_test_add_func ("/wake/stop", test_a_stop_ends_this_sleep_and_every_later_one);
  g_test_add_func ("/wake/none", test_without_a_clock_nothing_happens);
  return g_test_run ();
}
