#include "base/spoken.h"

#define DECIMALS 6

char *
spoken_number (gint64 number)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  GString *words = g_string_new (digits);
  gssize first = number < 0 ? 1 : 0;
  for (gssize at = (gssize)words->len - 3; at > first; at -= 3)
    g_string_insert_c (words, at, ',');
  return g_string_free (words, FALSE);
}

char *
spoken_duration (double seconds)
{
  static const struct {
    gint64 seconds;
    const char *unit;
  } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" } };
  const gint64 whole = seconds > 0 ? (gint64)MIN (seconds, (double)G_MAXINT32 * 1000) : 0;
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (whole >= 2 * units[i].seconds)
      return g_strdup_printf ("%" G_GINT64_FORMAT " %s", whole / units[i].seconds, units[i].unit);
  return g_strdup_printf ("%" G_GINT64_FORMAT " s", whole);
}

char *
spoken_above (double number, double limit)
{
  char *words = NULL;
  for (int decimals = 1; decimals <= DECIMALS; decimals++) {
    g_free (words);
    words = g_strdup_printf ("%.*f", decimals, number);
    if (g_ascii_strtod (words, NULL) > limit)
      break;
  }
  return words;
}

const char *
spoken_word (const char *word)
{
  static const char *const words[][2] = { { "limit_reached", "more to come" },
                                          { "passed_over", "skipped, in quarantine" },
                                          { "kept_hold", "kept: hold" },
                                          { "kept_restored", "kept: held after a restore" } };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (word, words[i][0]))
      return words[i][1];
  return word;
}
