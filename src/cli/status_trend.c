#include "cli/status_trend.h"

#include <math.h>

#define MOST 40 /* looks that are shown */

static const struct {
  const char *title, *key, *of[2]; /* of: which of an object; NULL: all */
} TRENDS[] = { { "lag", "lag", { NULL } },
               { "unfinished runs", "runs", { "waiting", "ready" } },
               { "unpublished", "unpublished", { NULL } } };

/* -1: not known. */
static double
sum_of (const json_t *value, const char *const of[2])
{
  const char *key;
  json_t *each;
  double sum = 0;
  if (value == NULL || json_is_null (value))
    return -1;
  if (json_is_number (value))
    return json_number_value (value);
  json_object_foreach ((json_t *)value, key, each) {
    if (of[0] != NULL && !g_str_equal (key, of[0]) && !g_str_equal (key, of[1]))
      continue;
    if (json_is_null (each))
      return -1;
    sum += json_number_value (each);
  }
  return sum;
}

char *
status_trend_bars (const double *values, guint n)
{
  static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  const double last = G_N_ELEMENTS (bars) - 1;
  double most = 1;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    most = MAX (most, values[i]);
  for (guint i = 0; i < n; i++)
    g_string_append (text, values[i] < 0 ? " " : bars[(guint)ceil (values[i] / most * last)]);
  return g_string_free (text, FALSE);
}

void
status_trend_say (Output *out, const json_t *found)
{
  static double values[G_N_ELEMENTS (TRENDS)][MOST];
  static guint n;
  if (n == MOST) {
    for (guint t = 0; t < G_N_ELEMENTS (TRENDS); t++)
      for (guint i = 1; i < MOST; i++)
        values[t][i - 1] = values[t][i];
    n--;
  }
  for (guint t = 0; t < G_N_ELEMENTS (TRENDS); t++)
    values[t][n] = sum_of (json_object_get (found, TRENDS[t].key), TRENDS[t].of);
  n++;
  for (guint t = 0; t < G_N_ELEMENTS (TRENDS) && n > 1; t++) {
    g_autofree char *bars = status_trend_bars (values[t], n);
    output_titled (out, t == 0 ? "Trend" : "", "%s %s", bars, TRENDS[t].title);
  }
}
