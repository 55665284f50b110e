/* Small bars: the highest is full, 0 is the lowest, what is not known is a blank. */
#include "cli/status_trend.h"

static void
test_bars (void)
{
  static const struct {
    double values[4];
    guint n;
    const char *bars;
  } cases[] = { { { 0 }, 1, "▁" },
                { { 0, 0, 0, 0 }, 4, "▁▁▁▁" },
                { { 0, 1, 7, -1 }, 4, "▁▂█ " },
                { { 1000, 500, 1 }, 3, "█▅▂" },
                { { -1, -1 }, 2, "  " } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *bars = status_trend_bars (cases[i].values, cases[i].n);
    g_assert_cmpstr (bars, ==, cases[i].bars);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/status_trend/bars", test_bars);
  return g_test_run ();
}
