/* Quiet hours: what is in them, and when they end. The instants are written down by hand. */
#include "base/clock.h"
#include "base/error.h"
#include "config/cron.h"
#include "config/hours.h"

typedef struct {
  const char *hours, *now, *end; /* END NULL: not in them */
} Case;

static const Case CASES[] = {
  /* In winter Berlin is an hour ahead of UTC, in summer two. */
  { "07:00-20:00 Europe/Berlin", "2026-01-15T05:59:59Z", NULL },
  { "07:00-20:00 Europe/Berlin", "2026-01-15T06:00:00Z", "2026-01-15T19:00:00Z" },
  { "07:00-20:00 Europe/Berlin", "2026-01-15T18:59:59Z", "2026-01-15T19:00:00Z" },
  { "07:00-20:00 Europe/Berlin", "2026-01-15T19:00:00Z", NULL },
  { "07:00-20:00 Europe/Berlin", "2026-07-15T05:00:00Z", "2026-07-15T18:00:00Z" },
  /* Across midnight. */
  { "22:00-06:00", "2026-01-15T21:59:00Z", NULL },
  { "22:00-06:00", "2026-01-15T22:00:00Z", "2026-01-16T06:00:00Z" },
  { "22:00-06:00 UTC", "2026-01-16T00:00:00Z", "2026-01-16T06:00:00Z" },
  { "22:00-06:00 UTC", "2026-01-16T06:00:00Z", NULL },
  { "20:00-24:00 UTC", "2026-01-16T23:59:59Z", "2026-01-17T00:00:00Z" },
  /* On 29 March 2026 Berlin's clocks go from 02:00 to 03:00 (01:00 UTC). */
  { "22:00-06:00 Europe/Berlin", "2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z" },
  { "01:00-02:30 Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z" },
  /* On 25 October 2026 they go from 03:00 back to 02:00 (01:00 UTC). */
  { "22:00-06:00 Europe/Berlin", "2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z" },
  { "01:00-02:30 Europe/Berlin", "2026-10-25T00:10:00Z", "2026-10-25T00:30:00Z" },
  { "01:00-02:30 Europe/Berlin", "2026-10-25T00:40:00Z", NULL },
  { "01:00-02:30 Europe/Berlin", "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z" },
};

static gint64
instant (const char *text)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (text, NULL);
  return g_date_time_to_unix (time) * G_USEC_PER_SEC;
}

static void
test_end (void)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Hours) hours = hours_parse (CASES[i].hours, utc, &error);
    g_assert_no_error (error);
    gint64 end_us = hours_end (hours, instant (CASES[i].now));
    g_test_message ("%s at %s", CASES[i].hours, CASES[i].now);
    g_assert_cmpint (end_us, ==, CASES[i].end != NULL ? instant (CASES[i].end) : -1);
  }
}

static void
test_zone_of_the_job (void)
{
  g_autoptr (GTimeZone) berlin = cron_zone ("Europe/Berlin", NULL);
  g_autoptr (Hours) hours = hours_parse ("07:00-20:00", berlin, NULL);
  g_assert_cmpint (hours_end (hours, instant ("2026-07-15T05:00:00Z")), ==,
                   instant ("2026-07-15T18:00:00Z"));
}

static void
test_refused (void)
{
  static const char *const wrong[] = { "",
                                       "7:00-20:00",
                                       "07:00",
                                       "07:00-20:60",
                                       "07:00-24:01",
                                       "00:00-24:00",
                                       "24:00-07:00",
                                       "07:00-07:00",
                                       "07:00-20:00-21:00",
                                       "07.00-20.00",
                                       "07:00-20:00 Nowhere/Land",
                                       "07:00 - 20:00",
                                       "-07:00-20:00" };
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;
    g_test_message ("%s", wrong[i]);
    g_assert_null (hours_parse (wrong[i], utc, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/config/hours/end", test_end);
  g_test_add_func ("/config/hours/zone", test_zone_of_the_job);
  g_test_add_func ("/config/hours/refused", test_refused);
  return g_test_run ();
}
