/* Runs that their lane puts back until later: docs/operations.md, "Quiet hours" and "Gentle to the
 * server"; docs/rules.md, 8; docs/design.md, "Versions". */
#include "base/clock.h"
#include "support/claims.h"

#define A CLAIMS_A
#define B CLAIMS_B
#define EARLIER "2026-11-28T11:59:59.000000Z"
#define LATER "2026-11-28T12:00:01.000000Z"

/* How long the first of the runs waits, which were claimed at noon. */
static gint64
first_delay_ms (void)
{
  gint64 noon_us = 0, until_us = 0;
  g_autofree char *until = g_strndup (played_bound ("put_back", "until") + 1, strlen (CLAIMS_NOON));
  g_assert_true (clock_parse (CLAIMS_NOON, &noon_us, NULL) && clock_parse (until, &until_us, NULL));
  return (until_us - noon_us) / 1000;
}

/* For 5 to 30 seconds; many of them ask less often. */
static void
test_runs_wait_for_a_threshold (void)
{
  static const struct {
    guint n;
    gint64 least_ms;
  } cases[] = { { 1, 5000 }, { 3, 5000 }, { 500, 29000 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    claims_begin ("", CLAIMS_WAITERS);
    for (guint k = 0; k < cases[i].n; k++) {
      g_autofree char *run_id = g_strdup_printf ("aaaaaaaa-0000-5000-8000-%012u", k);
      claims_run (run_id);
    }
    claims_are (0, cases[i].n, 0, "BEGIN fence put_back");
    const gint64 delay_ms = first_delay_ms ();
    g_assert_cmpint (delay_ms, >=, cases[i].least_ms);
    g_assert_cmpint (delay_ms, <=, 30000);
    g_assert_true (
        g_str_has_prefix (played_bound ("put_back", "error"), "{\"throttled: lock_waiters: "));
    claims_end ();
  }
}

/* By the database's clock, in the hours' zone. */
static void
test_in_quiet_hours_all_runs_wait_for_their_end (void)
{
  static const struct {
    const char *settings, *until; /* NULL: they go */
  } cases[] = { { "not_between = 11:00-13:00\n", "2026-11-28T13:00:00.000000Z" },
                { "not_between = 22:00-12:30\n", "2026-11-28T12:30:00.000000Z" },
                { "not_between = 12:30-13:00 Europe/Berlin\n", NULL },
                { "not_between = 12:30-13:30 Europe/Berlin\n", "2026-11-28T12:30:00.000000Z" },
                { "not_between = 12:01-13:00\n", NULL },
                { "not_between = 11:00-12:00\n", NULL },
                { "", NULL } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gboolean waits = cases[i].until != NULL;
    claims_begin (cases[i].settings, NULL);
    claims_run (A);
    claims_run (B);
    g_test_message ("%s", cases[i].settings);
    claims_are (waits ? 0 : 2, waits ? 2 : 0, 0, waits ? "BEGIN fence put_back" : "BEGIN fence");
    g_autofree char *until
        = waits ? g_strdup_printf ("{%s,%s}", cases[i].until, cases[i].until) : NULL;
    g_assert_cmpstr (played_bound ("put_back", "until"), ==, until);
    claims_end ();
  }
}

/* A clock that jumps ends no pause, no hold and no quiet hours. */
static void
test_what_is_over_by_one_clock_only_lets_no_run_begin (void)
{
  static const struct {
    gint64 ahead_h; /* of the database's clock */
    gboolean quiet, disputed, waits;
  } cases[] = { { 3, TRUE, FALSE, TRUE },
                { -3, TRUE, FALSE, TRUE },
                { 3, FALSE, TRUE, TRUE },
                { 0, FALSE, FALSE, FALSE },
                { 3, FALSE, FALSE, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gint64 now_us = clock_now_us ();
    g_autofree char *now = clock_format (now_us + cases[i].ahead_h * G_TIME_SPAN_HOUR),
                    *from = clock_format (now_us - 20 * G_TIME_SPAN_MINUTE),
                    *to = clock_format (now_us + 20 * G_TIME_SPAN_MINUTE),
                    *quiet = g_strdup_printf ("not_between = %.5s-%.5s\n", from + 11, to + 11);
    ClaimScene *scene = claims_begin (cases[i].quiet ? quiet : "", NULL);
    scene->service.max_skew_us = 5 * G_USEC_PER_SEC;
    scene->disputed = cases[i].disputed;
    claims_message (A, 3, 0);
    claims_row (A, "-", "2020-01-01T00:00:00Z", now, FALSE);
    g_test_message ("%u", i);
    claims_are (cases[i].waits ? 0 : 1, cases[i].waits, 0,
                cases[i].waits ? "BEGIN fence put_back" : "BEGIN fence");
    if (cases[i].waits)
      g_assert_true (
          g_str_has_prefix (played_bound ("put_back", "error"), "{\"throttled: clocks: "));
    claims_end ();
  }
}

/* No run begins before T, whatever made it ready. */
static void
test_a_run_that_is_ahead_of_its_time_waits_for_it (void)
{
  claims_begin ("", NULL);
  claims_message (A, 3, 0);
  claims_message (B, 3, 0);
  claims_row (A, "-", LATER, CLAIMS_NOON, FALSE);
  claims_row (B, "-", CLAIMS_NOON, CLAIMS_NOON, FALSE);
  claims_are (1, 1, 0, "BEGIN fence put_back");
  g_assert_cmpstr (played_bound ("put_back", "run_id"), ==, "{" A "}");
  g_assert_cmpstr (played_bound ("put_back", "until"), ==, "{" LATER "}");
  claims_end ();
}

/* T is compared with the database's clock, and with this machine's if the former is more than a day
 * ahead of it. */
static void
test_a_clock_that_is_far_ahead_is_not_believed (void)
{
  static const struct {
    gint64 now_h, t_h; /* hours ahead of this machine */
    gboolean early;
  } cases[] = { { 0, -1, FALSE },  { 0, 1, TRUE },   { 23, 22, FALSE }, { 23, 24, TRUE },
                { 48, 23, FALSE }, { 48, 25, TRUE }, { 48, 47, TRUE },  { -48, -1, TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gint64 now_us = clock_now_us ();
    g_autofree char *now = clock_format (now_us + cases[i].now_h * G_TIME_SPAN_HOUR),
                    *t = clock_format (now_us + cases[i].t_h * G_TIME_SPAN_HOUR);
    claims_begin ("", NULL);
    claims_message (A, 3, 0);
    claims_row (A, "-", t, now, FALSE);
    g_test_message ("%u", i);
    claims_are (cases[i].early ? 0 : 1, cases[i].early, 0,
                cases[i].early ? "BEGIN fence put_back" : "BEGIN fence");
    claims_end ();
  }
}

/* Also in a pause. */
static void
test_a_run_that_is_ahead_of_its_time_is_not_parked (void)
{
  claims_begin ("", NULL);
  claims_message (A, 3, 0);
  claims_row (A, "-", LATER, CLAIMS_NOON, TRUE);
  claims_are (0, 1, 0, "BEGIN fence put_back");
  g_assert_cmpstr (played_bound ("put_back", "until"), ==, "{" LATER "}");
  claims_end ();
}

/* A run goes on with the version of its job that it began with, or waits for it. A built-in job's
 * goes on with any. */
static void
test_a_run_of_another_version_waits (void)
{
  static const struct {
    const char *begun;
    gboolean built_in, waits;
  } cases[] = { { "one", FALSE, TRUE },
                { "two", FALSE, FALSE },
                { "-", FALSE, FALSE }, /* it has not begun */
                { "one", TRUE, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    ClaimScene *scene = claims_begin ("", NULL);
    scene->job.built_in = cases[i].built_in;
    scene->job.version = (char *)"two";
    claims_message (A, 3, 0);
    claims_message (B, 3, 0);
    claims_row (A, cases[i].begun, EARLIER, CLAIMS_NOON, FALSE);
    claims_row (B, "two", EARLIER, CLAIMS_NOON, FALSE);
    g_test_message ("%u", i);
    claims_are (cases[i].waits ? 1 : 2, cases[i].waits, 0,
                cases[i].waits ? "BEGIN fence put_back" : "BEGIN fence");
    if (cases[i].waits) {
      g_assert_cmpstr (played_bound ("put_back", "run_id"), ==, "{" A "}");
      g_assert_true (g_str_has_prefix (played_bound ("put_back", "error"),
                                       "{\"blocked: begun with version one, "));
    }
    claims_end ();
  }
}

#define ADD(test) g_test_add_func ("/claim_put_back/" #test, test_##test)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (runs_wait_for_a_threshold);
  ADD (in_quiet_hours_all_runs_wait_for_their_end);
  ADD (what_is_over_by_one_clock_only_lets_no_run_begin);
  ADD (a_run_that_is_ahead_of_its_time_waits_for_it);
  ADD (a_clock_that_is_far_ahead_is_not_believed);
  ADD (a_run_that_is_ahead_of_its_time_is_not_parked);
  ADD (a_run_of_another_version_waits);
  return config_test_run ();
}
