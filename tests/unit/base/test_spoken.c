#include "base/spoken.h"

static void
test_numbers (void)
{
  static const struct {
    gint64 number;
    const char *words;
  } cases[] = { { 0, "0" },           { 999, "999" },      { 1000, "1,000" },
                { 4365, "4,365" },    { 51734, "51,734" }, { 1234567, "1,234,567" },
                { -999, "-999" },     { -1000, "-1,000" }, { -123456, "-123,456" },
                { 100000, "100,000" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *words = spoken_number (cases[i].number);
    g_assert_cmpstr (words, ==, cases[i].words);
  }
}

/* As few decimals as show that a limit is exceeded. */
static void
test_above (void)
{
  static const struct {
    double number, limit;
    const char *words;
  } cases[] = { { 22.5001, 20, "22.5" },
                { 20.01, 20, "20.01" },
                { 20.0004, 20, "20.0004" },
                { 100, 5, "100.0" },
                { 20, 20, "20.000000" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *words = spoken_above (cases[i].number, cases[i].limit);
    g_assert_cmpstr (words, ==, cases[i].words);
  }
}

static void
test_words (void)
{
  g_assert_cmpstr (spoken_word ("limit_reached"), ==, "more to come");
  g_assert_cmpstr (spoken_word ("passed_over"), ==, "skipped, in quarantine");
  g_assert_cmpstr (spoken_word ("completed"), ==, "completed");
}

static void
test_durations (void)
{
  static const struct {
    double seconds;
    const char *words;
  } cases[] = { { -5, "0 s" },      { 0.9, "0 s" },      { 119.9, "119 s" },
                { 120, "2 min" },   { 7199, "119 min" }, { 7200, "2 h" },
                { 172799, "47 h" }, { 172800, "2 d" },   { 345600, "4 d" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *words = spoken_duration (cases[i].seconds);
    g_assert_cmpstr (words, ==, cases[i].words);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spoken/numbers", test_numbers);
  g_test_add_func ("/spoken/above", test_above);
  g_test_add_func ("/spoken/durations", test_durations);
  g_test_add_func ("/spoken/words", test_words);
  return g_test_run ();
}
