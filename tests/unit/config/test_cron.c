#include "base/clock.h"
#include "base/error.h"
#include "config/cron.h"
#include <string.h>
#include <time.h>

static gint64
at (const char *text)
{
  gint64 us;
  g_autoptr (GError) error = NULL;
  g_assert_true (clock_parse (text, &us, &error));
  g_assert_no_error (error);
  return us;
}

/* The instants after FROM are exactly WANTED, in order. */
static void
assert_fires (const char *schedule, const char *zone_name, const char *from,
              const char *const *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Cron) cron = cron_parse (schedule, &error);
  g_assert_no_error (error);
  g_autoptr (GTimeZone) zone = cron_zone (zone_name, &error);
  g_assert_no_error (error);
  gint64 now = at (from);
  for (; *wanted != NULL; wanted++) {
    now = cron_next (cron, zone, now);
    g_autofree char *got = clock_format (now);
    g_autofree char *expected = clock_format (at (*wanted));
    g_assert_cmpstr (got, ==, expected);
  }
}
#define FIRES(schedule, zone, from, ...)                                                           \
  assert_fires (schedule, zone, from, (const char *const[]){ __VA_ARGS__, NULL })

static void
test_fields (void)
{
  FIRES ("10 0 * * *", "UTC", "2026-11-21T10:00:00Z", "2026-11-22T00:10:00Z",
         "2026-11-23T00:10:00Z");
  FIRES ("*/16 * * * *", "UTC", "2026-11-21T23:40:00Z", "2026-11-21T23:48:00Z",
         "2026-11-22T00:00:00Z", "2026-11-22T00:16:00Z", "2026-11-22T00:32:00Z");
  FIRES ("* * * * *", "UTC", "2026-12-31T23:59:00Z", "2027-01-01T00:00:00Z",
         "2027-01-01T00:01:00Z");
  FIRES ("5,50-52 1-5/2 * * *", "UTC", "2026-11-21T00:00:00Z", "2026-11-21T01:05:00Z",
         "2026-11-21T01:50:00Z", "2026-11-21T01:51:00Z", "2026-11-21T01:52:00Z",
         "2026-11-21T03:05:00Z");
  FIRES (" 0\t12  1 JAN,jul * ", "UTC", "2026-11-21T00:00:00Z", "2027-01-01T12:00:00Z",
         "2027-07-01T12:00:00Z");
  FIRES ("0 0 31 * *", "UTC", "2026-11-21T00:00:00Z", "2026-12-31T00:00:00Z",
         "2027-01-31T00:00:00Z", "2027-03-31T00:00:00Z");
}

/* 22 November 2026 is a Sunday. */
static void
test_days_of_the_week (void)
{
  FIRES ("0 0 * * 7", "UTC", "2026-11-21T12:00:00Z", "2026-11-22T00:00:00Z",
         "2026-11-29T00:00:00Z");
  FIRES ("0 0 * * sun", "UTC", "2026-11-21T12:00:00Z", "2026-11-22T00:00:00Z");
  FIRES ("0 0 * * 0", "UTC", "2026-11-21T12:00:00Z", "2026-11-22T00:00:00Z");
  FIRES ("0 0 * * mon-fri", "UTC", "2026-11-20T12:00:00Z", "2026-11-23T00:00:00Z",
         "2026-11-24T00:00:00Z");
  FIRES ("0 0 * * sat-sun", "UTC", "2026-11-20T12:00:00Z", "2026-11-21T00:00:00Z",
         "2026-11-22T00:00:00Z", "2026-11-28T00:00:00Z");
}

static void
test_one_of_two_day_fields_is_enough (void)
{
  FIRES ("0 0 24 * sun", "UTC", "2026-11-21T12:00:00Z", "2026-11-22T00:00:00Z",
         "2026-11-24T00:00:00Z", "2026-11-29T00:00:00Z");
  FIRES ("0 0 */2 * sun", "UTC", "2026-11-21T12:00:00Z", "2026-11-29T00:00:00Z");
}

static void
test_next_is_strictly_after (void)
{
  FIRES ("0 2 * * *", "UTC", "2026-11-21T01:59:59.999999Z", "2026-11-21T02:00:00Z");
  FIRES ("0 2 * * *", "UTC", "2026-11-21T02:00:00Z", "2026-11-22T02:00:00Z");
  FIRES ("0 2 * * *", "UTC", "2026-11-21T02:00:00.000001Z", "2026-11-22T02:00:00Z");
}

static void
test_rare_and_never (void)
{
  FIRES ("0 0 29 2 *", "UTC", "2026-11-21T00:00:00Z", "2028-02-29T00:00:00Z");
  FIRES ("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z");
  FIRES ("0 0 29 2 */7", "UTC", "2026-11-21T00:00:00Z", "2032-02-29T00:00:00Z",
         "2060-02-29T00:00:00Z");
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (Cron) never = cron_parse ("0 0 30 2 *", NULL);
  g_assert_cmpint (cron_next (never, utc, at ("2026-11-21T00:00:00Z")), ==, -1);
  g_autoptr (Cron) also_never = cron_parse ("0 0 31 4,6,9,11 *", NULL);
  g_assert_cmpint (cron_next (also_never, utc, at ("2026-11-21T00:00:00Z")), ==, -1);
}

/* Europe/Berlin, 29 March 2026: 02:00 becomes 03:00, which is 01:00 UTC. */
static void
test_skipped_hour_in_berlin (void)
{
  FIRES ("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", "2026-03-28T01:30:00Z",
         "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
  FIRES ("*/15 2 * * *", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T01:00:00Z",
         "2026-03-30T00:00:00Z");
  FIRES ("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T00:30:00Z",
         "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z");
  FIRES ("30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z",
         "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z");
}

/* 25 October 2026: 03:00 becomes 02:00; the first 02:30 is 00:30 UTC. */
static void
test_repeated_hour_in_berlin (void)
{
  FIRES ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z",
         "2026-10-26T01:30:00Z");
  FIRES ("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:45:00Z", "2026-10-25T00:00:00Z",
         "2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z");
  FIRES ("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", "2026-10-26T01:30:00Z");
}

/* America/New_York: 8 March 2026 07:00 UTC forward, 1 November 2026 06:00 UTC back. */
static void
test_both_changes_in_new_york (void)
{
  FIRES ("*/15 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-08T07:00:00Z",
         "2026-03-09T06:00:00Z", "2026-03-09T06:15:00Z");
  FIRES ("0 0 * * *", "America/New_York", "2026-03-07T12:00:00Z", "2026-03-08T05:00:00Z",
         "2026-03-09T04:00:00Z");
  FIRES ("15 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", "2026-11-01T05:15:00Z",
         "2026-11-02T06:15:00Z");
}

/* Changes of half an hour, at midnight, backwards in standard time, and a day that does not exist.
 */
static void
test_odd_zones (void)
{
  FIRES ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z",
         "2026-10-04T15:15:00Z");
  FIRES ("30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z", "2018-02-18T01:30:00Z",
         "2018-02-19T02:30:00Z");
  FIRES ("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z",
         "2018-11-05T02:00:00Z");
  FIRES ("30 1 * * *", "Europe/Dublin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z",
         "2026-10-26T01:30:00Z");
  FIRES ("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2011-12-29T22:00:00Z",
         "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z");
}

static void
test_broken_schedules (void)
{
  static const char *const texts[] = {
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * 0 *",
    "* * * * 8",
    "a * * * *",
    "* * * foo *",
    "* * * * mond",
    "5- * * * *",
    "-5 * * * *",
    "9-5 * * * *",
    "1,,2 * * * *",
    ", * * * *",
    "*/0 * * * *",
    "*/61 * * * *",
    "5/2 * * * *",
    "*/ * * * *",
    "1-2-3 * * * *",
    "+1 * * * *",
    "jan * * * *",
    "@daily",
    "* * * * 5-mon",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_test_message ("%s", texts[i]);
    g_assert_null (cron_parse (texts[i], &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  }
}

static void
test_errors_name_the_field (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (cron_parse ("0 25 * * *", &error));
  g_assert_nonnull (strstr (error->message, "schedule '0 25 * * *': '25' is not a valid hour"));
}

static void
test_unknown_zones (void)
{
  static const char *const names[] = { "", "Europe/Berlln", "nowhere" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (cron_zone (names[i], &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  }
}

/* Compares with the C library's zone rules, minute by minute over two years. */
static void
test_against_the_c_library (gconstpointer zone_name)
{
  g_autoptr (Cron) cron = cron_parse ("7,37 2,3,4 * * *", NULL);
  g_autoptr (GTimeZone) zone = cron_zone (zone_name, NULL);
  g_setenv ("TZ", zone_name, TRUE);
  tzset ();
  gint64 from = at ("2025-01-01T00:00:00Z") / G_USEC_PER_SEC;
  gint64 now = from * G_USEC_PER_SEC;
  char last[20] = "";
  for (time_t t = from + 60; t < from + 2 * 366 * 86400; t += 60) {
    struct tm tm;
    char local[20];
    localtime_r (&t, &tm);
    if (tm.tm_hour < 2 || tm.tm_hour > 4 || (tm.tm_min != 7 && tm.tm_min != 37))
      continue;
    strftime (local, sizeof local, "%F %R", &tm);
    if (strcmp (local, last) <= 0)
      continue; /* the repeated hour */
    g_strlcpy (last, local, sizeof last);
    gint64 got = cron_next (cron, zone, now);
    if (got != t * G_USEC_PER_SEC) { /* skipped minutes fire at the end of the gap: one more */
      struct tm before, after;
      time_t gap = got / G_USEC_PER_SEC, gap_before = gap - 1;
      localtime_r (&gap, &after);
      localtime_r (&gap_before, &before);
      g_assert_cmpint (after.tm_gmtoff, >, before.tm_gmtoff);
      got = cron_next (cron, zone, got);
    }
    g_assert_cmpint (got, ==, t * G_USEC_PER_SEC);
    now = got;
  }
  g_assert_cmpstr (last, >, "2026-12-31");
  g_unsetenv ("TZ");
}

/* POSIX counts west of Greenwich, people count east of it. */
static void
test_zones (void)
{
  static const char *const names[]
      = { "UTC", "Europe/Berlin", "+03:00", "-0330", "+3", "Etc/GMT+3" },
      *const not_posix[]
      = { "EST5EDT", "NZ-CHAT", "GMT-0", "GMT0" },
          *const posix[]
          = { "UTC+3", "UTC-3", "UTC3", "GMT+3", "EST5", "<+03>-3", "CET-1CEST,M3.5.0,M10.5.0/3" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GTimeZone) zone = cron_zone (names[i], &error);
    g_assert_no_error (error);
    g_assert_nonnull (zone);
  }
  /* Not each machine has old names (tzdata-legacy). */
  for (guint i = 0; i < G_N_ELEMENTS (not_posix); i++)
    g_assert_false (cron_zone_is_posix (not_posix[i]));
  for (guint i = 0; i < G_N_ELEMENTS (posix); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (cron_zone (posix[i], &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_nonnull (strstr (error->message, "is read by the rules of POSIX"));
  }
  FIRES ("0 0 * * *", "+03:00", "2026-11-21T12:00:00Z", "2026-11-21T21:00:00Z");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cron/fields", test_fields);
  g_test_add_func ("/cron/days_of_the_week", test_days_of_the_week);
  g_test_add_func ("/cron/one_of_two_day_fields_is_enough", test_one_of_two_day_fields_is_enough);
  g_test_add_func ("/cron/next_is_strictly_after", test_next_is_strictly_after);
  g_test_add_func ("/cron/rare_and_never", test_rare_and_never);
  g_test_add_func ("/cron/skipped_hour_in_berlin", test_skipped_hour_in_berlin);
  g_test_add_func ("/cron/repeated_hour_in_berlin", test_repeated_hour_in_berlin);
  g_test_add_func ("/cron/both_changes_in_new_york", test_both_changes_in_new_york);
  g_test_add_func ("/cron/odd_zones", test_odd_zones);
  g_test_add_func ("/cron/broken_schedules", test_broken_schedules);
  g_test_add_func ("/cron/errors_name_the_field", test_errors_name_the_field);
  g_test_add_func ("/cron/unknown_zones", test_unknown_zones);
  g_test_add_data_func ("/cron/against_the_c_library/berlin", "Europe/Berlin",
                        test_against_the_c_library);
  g_test_add_data_func ("/cron/against_the_c_library/new_york", "America/New_York",
                        test_against_the_c_library);
  g_test_add_data_func ("/cron/against_the_c_library/utc", "UTC", test_against_the_c_library);
  g_test_add_func ("/cron/zones", test_zones);
  return g_test_run ();
}
