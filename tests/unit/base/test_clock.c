#include "base/clock.h"
#include "base/error.h"

static void
assert_parsed (const char *text, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  gint64 us = -1;
  g_assert_true (clock_parse (text, &us, &error));
  g_assert_no_error (error);
  g_autofree char *got = clock_format (us);
  g_assert_cmpstr (got, ==, wanted);
}

static void
test_format (void)
{
  g_autofree char *zero = clock_format (0);
  g_autofree char *leap = clock_format (G_GINT64_CONSTANT (1709210096789012));
  g_autofree char *before = clock_format (-1);
  g_assert_cmpstr (zero, ==, "1970-01-01T00:00:00.000000Z");
  g_assert_cmpstr (leap, ==, "2024-02-29T12:34:56.789012Z");
  g_assert_cmpstr (before, ==, "1969-12-31T23:59:59.999999Z");
  g_autofree char *last = clock_format (G_GINT64_CONSTANT (253402300799999999));
  g_autofree char *beyond = clock_format (G_GINT64_CONSTANT (253402300800000000));
  g_assert_cmpstr (last, ==, "9999-12-31T23:59:59.999999Z");
  g_assert_cmpstr (beyond, ==, "10000-01-01T00:00:00.000000Z");
}

static void
test_parse (void)
{
  assert_parsed ("2026-11-21T10:20:30Z", "2026-11-21T10:20:30.000000Z");
  assert_parsed ("2026-11-21t10:20:30.5z", "2026-11-21T10:20:30.500000Z");
  assert_parsed ("2026-11-21T10:20:30.1234569Z", "2026-11-21T10:20:30.123456Z");
  assert_parsed ("2026-11-21T01:20:30+02:30", "2026-11-20T22:50:30.000000Z");
  assert_parsed ("2026-12-31T20:00:00.000001-05:00", "2027-01-01T01:00:00.000001Z");
  assert_parsed ("2000-02-29T00:00:00-00:00", "2000-02-29T00:00:00.000000Z");
  assert_parsed ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z");
  assert_parsed ("1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00.000000Z");
}

static void
test_parse_refuses (void)
{
  static const char *const texts[] = {
    "",
    "now",
    "2026-11-21",
    "2026-11-21T10:20:30",
    "2026-11-21 10:20:30Z",
    "2026-11-21T10:20Z",
    "2026-11-21T10:20:30.Z",
    "2026-11-21T10:20:30+0200",
    "2026-11-21T10:20:30+24:00",
    "2026-11-21T10:20:30Zx",
    "2026-11-21T24:00:00Z",
    "2026-11-21T10:60:00Z",
    "2026-11-21T10:20:60Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-1-1T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+02:00",
    "9999-12-31T23:59:59-02:00",
    "10000-01-01T00:00:00Z",
    "-2026-11-21T10:20:30Z",
    "\xff",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    gint64 us = 77;
    g_autofree char *shown = g_strescape (texts[i], NULL);
    g_test_message ("%s", shown);
    g_assert_false (clock_parse (texts[i], &us, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
    g_assert_cmpint (us, ==, 77);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  }
}

static void
test_parse_loose (void)
{
  static const struct {
    const char *text, *wanted;
  } cases[] = {
    { "2026-11-21", "2026-11-21T00:00:00.000000Z" },
    { "2026-11-21T10:20:30.5+01:00", "2026-11-21T09:20:30.500000Z" },
    { "-30s", "2026-11-21T10:19:30.000001Z" },
    { "-10m", "2026-11-21T10:10:00.000001Z" },
    { "-2h", "2026-11-21T08:20:00.000001Z" },
    { "-1d", "2026-11-20T10:20:00.000001Z" },
    { "-0d", "2026-11-21T10:20:00.000001Z" },
  };
  gint64 now_us;
  g_assert_true (clock_parse ("2026-11-21T10:20:00.000001Z", &now_us, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    gint64 us;
    g_assert_true (clock_parse_loose (cases[i].text, now_us, &us, &error));
    g_assert_no_error (error);
    g_autofree char *got = clock_format (us);
    g_assert_cmpstr (got, ==, cases[i].wanted);
  }
}

static void
test_parse_loose_refuses (void)
{
  static const char *const texts[]
      = { "-",       "-m",      "-10",        "-10w",      "-10mm",
          "- 10m",   "--10m",   "-+1m",       "10m",       "-99999999999999999999d",
          "-99999d", "2026-11", "2026-11-31", "yesterday", "-1.5h" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    gint64 us;
    g_autofree char *shown = g_strescape (texts[i], NULL);
    g_test_message ("%s", shown);
    g_assert_false (clock_parse_loose (texts[i], clock_now_us (), &us, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  }
}

static void
test_clocks_run (void)
{
  gint64 wall = clock_now_us (), steady = clock_monotonic_us ();
  g_assert_cmpint (wall, >, G_GINT64_CONSTANT (1700000000000000));
  g_assert_cmpint (clock_monotonic_us (), >=, steady);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock/format", test_format);
  g_test_add_func ("/clock/parse", test_parse);
  g_test_add_func ("/clock/parse_refuses", test_parse_refuses);
  g_test_add_func ("/clock/parse_loose", test_parse_loose);
  g_test_add_func ("/clock/parse_loose_refuses", test_parse_loose_refuses);
  g_test_add_func ("/clock/clocks_run", test_clocks_run);
  return g_test_run ();
}
