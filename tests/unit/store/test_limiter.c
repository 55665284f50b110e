#include "store/limiter.h"

#define PLENTY 10

/* Asks; it must be allowed. Returns when the request may start. */
static gint64
ask (Limiter *limiter)
{
  gint64 at_us = 0, retry_ms = 0;
  g_autofree char *words = NULL;
  g_assert_true (limiter_ask (limiter, &at_us, &retry_ms, &words));
  g_assert_null (words);
  return at_us;
}

/* Asks; it must be refused with WANTED. Returns for how long. */
static gint64
refused_ms (Limiter *limiter, const char *wanted)
{
  gint64 start_us = 0, retry_ms = 0;
  g_autofree char *words = NULL;
  g_assert_false (limiter_ask (limiter, &start_us, &retry_ms, &words));
  g_assert_cmpstr (words, ==, wanted);
  g_assert_cmpint (retry_ms, >=, 1000);
  return retry_ms;
}

/* Stops time: the following calls all come at once. */
static void
stop_time (Limiter *limiter)
{
  if (limiter->open_until_us != 0)
    limiter->open_until_us += G_TIME_SPAN_HOUR;
  if (limiter->slowed_us != 0)
    limiter->slowed_us += G_TIME_SPAN_HOUR;
}

/* Moves time to the end of the open circuit. */
static void
let_time_pass (Limiter *limiter)
{
  limiter->open_until_us = g_get_monotonic_time () - 1;
  limiter->slowed_us = 0;
}

static void
test_requests_of_all_slots_are_spaced (void)
{
  Limiter limiter;
  limiter_init (&limiter);
  gint64 space_us = (gint64)(G_USEC_PER_SEC / limiter.rate);
  gint64 before = ask (&limiter);
  for (int i = 0; i < PLENTY; i++) {
    gint64 next = ask (&limiter);
    g_assert_cmpint (next, >=, before + space_us);
    g_assert_cmpint (next, <=, MAX (before + space_us, g_get_monotonic_time ()));
    before = next;
  }
  limiter_clear (&limiter);
}

static void
test_the_rate_grows_by_steps_and_halves (void)
{
  Limiter limiter;
  limiter_init (&limiter);
  double first = limiter.rate;
  for (int i = 0; i < PLENTY; i++)
    limiter_succeeded (&limiter);
  g_assert_cmpfloat (limiter.rate, ==, first + PLENTY);
  limiter_slow_down (&limiter);
  g_assert_cmpfloat (limiter.rate, ==, (first + PLENTY) / 2);
  stop_time (&limiter);
  limiter_slow_down (&limiter); /* was under way before */
  g_assert_cmpfloat (limiter.rate, ==, (first + PLENTY) / 2);
  for (int i = 0; i < 20; i++) {
    limiter.slowed_us = 0;
    limiter_slow_down (&limiter);
  }
  g_assert_cmpfloat (limiter.rate, ==, 1);
  g_assert_cmpint (ask (&limiter), >=,
                   limiter.slowed_us + G_USEC_PER_SEC); /* the next one waits, too */
  for (int i = 0; i < 10000; i++)
    limiter_succeeded (&limiter);
  g_assert_cmpfloat (limiter.rate, ==, 2000);
  limiter_clear (&limiter);
}

static void
test_no_answer_halves_the_rate_too (void)
{
  Limiter limiter;
  limiter_init (&limiter);
  double first = limiter.rate;
  limiter_failed (&limiter, "timed out");
  g_assert_cmpfloat (limiter.rate, ==, first / 2);
  limiter_clear (&limiter);
}

static void
test_failures_in_a_row_open_the_circuit (void)
{
  Limiter limiter;
  limiter_init (&limiter);
  for (int i = 0; i < 2; i++)
    limiter_failed (&limiter, "gone");
  limiter_succeeded (&limiter);
  for (int i = 0; i < 2; i++)
    limiter_failed (&limiter, "gone");
  ask (&limiter); /* the failures are not in a row */
  limiter_failed (&limiter, "gone for good");
  stop_time (&limiter);
  gint64 first = refused_ms (&limiter, "gone for good");
  for (int i = 0; i < 50; i++)
    limiter_failed (&limiter, "gone");
  g_assert_cmpint (refused_ms (&limiter, "gone for good"), <=,
                   first); /* answers to requests that were under way change nothing */
  limiter_clear (&limiter);
}

static void
test_one_request_probes_whether_it_is_back (void)
{
  Limiter limiter;
  gint64 pause = 0;
  limiter_init (&limiter);
  gint64 opened_us = g_get_monotonic_time ();
  limiter_open (&limiter, "no such bucket");
  for (int i = 0; i < PLENTY; i++) {
    gint64 left = refused_ms (&limiter, "no such bucket");
    gint64 longest = left + (g_get_monotonic_time () - opened_us) / 1000
                     + 1; /* the time since the test began */
    g_assert_cmpint (left, <=, 60001);
    g_assert_cmpint (longest, >=, pause);
    pause = longest > 60000 ? 60000 : left;
    let_time_pass (&limiter);
    ask (&limiter);
    refused_ms (&limiter, "no such bucket"); /* the others wait for the probe */
    opened_us = g_get_monotonic_time ();
    limiter_open (&limiter, "no such bucket");
  }
  g_assert_cmpint (pause, ==, 60000);
  let_time_pass (&limiter);
  ask (&limiter);
  limiter_abandoned (&limiter); /* the probe was abandoned: the next request probes */
  ask (&limiter);
  limiter_succeeded (&limiter);
  for (int i = 0; i < PLENTY; i++)
    ask (&limiter);
  limiter_failed (&limiter, "once");
  ask (&limiter); /* failures count from 0 again */
  limiter_clear (&limiter);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limiter/requests of all slots are spaced",
                   test_requests_of_all_slots_are_spaced);
  g_test_add_func ("/limiter/the rate grows by steps and halves",
                   test_the_rate_grows_by_steps_and_halves);
  g_test_add_func ("/limiter/no answer halves the rate too", test_no_answer_halves_the_rate_too);
  g_test_add_func ("/limiter/failures in a row open the circuit",
                   test_failures_in_a_row_open_the_circuit);
  g_test_add_func ("/limiter/one request probes whether it is back",
                   test_one_request_probes_whether_it_is_back);
  return g_test_run ();
}
