/* An interval says its unit: `interval '30'` is 30 seconds (docs/adding-a-job.md). */
#include "engine/job/sentence/sql_interval.h"

#include "base/error.h"

#include <string.h>

static const struct {
  const char *text;
  gboolean fits;
} CASES[] = {
  { "a < :T - interval '30 days'", TRUE },
  { "a < :T - interval '30' day", TRUE },
  { "a < :T - INTERVAL '2' Hour", TRUE },
  { "a < :T - '30 days'::interval", TRUE },
  { "a < :T - interval '1-2'", TRUE }, /* a year and two months */
  { "a < :T - interval '0'", TRUE },
  { "a < :T - interval '01:30:00'", TRUE },
  { "a < :T - interval 'P30D'", TRUE },
  { "a = '30'", TRUE },
  { "a = '30'::int", TRUE },
  { "note = 'interval ''30'''", TRUE },
  { "\"interval\" = '30'", TRUE },
  { "my_interval = '30'", TRUE },
  { "a < :T - make_interval(days => 30)", TRUE },
  { "true", TRUE },
  { "a < :T - interval '30'", FALSE },
  { "a < :T - INTERVAL\n '30'", FALSE },
  { "a < :T - interval ' -30.5 '", FALSE },
  { "a < :T - '30'::interval", FALSE },
  { "a < :T - '30' :: INTERVAL", FALSE },
  { "(a < :T - interval '30')", FALSE },
  { "a < :T - interval '30 days' AND b < :T - interval '30'", FALSE },
};

static void
test_units (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_test_message ("%s", CASES[i].text);
    g_assert_cmpint (sql_interval_has_units (CASES[i].text, &error), ==, CASES[i].fits);
    if (!CASES[i].fits)
      g_assert_nonnull (strstr (error->message, "is one of seconds: write the unit"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sql_interval/units", test_units);
  return g_test_run ();
}
