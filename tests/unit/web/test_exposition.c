/* Prometheus' text format: what its documentation says of labels and values. */
#include "web/exposition.h"

static void
test_labels_are_escaped (void)
{
  static const char *const cases[][2] = {
    { "plain", "x=\"plain\"" },
    { "", "x=\"\"" },
    { "a\"b", "x=\"a\\\"b\"" },
    { "C:\\dir\\", "x=\"C:\\\\dir\\\\\"" },
    { "two\nlines", "x=\"two\\nlines\"" },
    { "tab\tstays", "x=\"tab\tstays\"" },
    { "Größe {,}=", "x=\"Größe {,}=\"" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *label = exposition_label ("x", cases[i][0]);
    g_assert_cmpstr (label, ==, cases[i][1]);
  }
}

static void
test_lines (void)
{
  g_autoptr (GString) body = g_string_new (NULL);
  exposition_head (body, "pruned_runs_total", "counter", "Ended runs.");
  exposition_value (body, "pruned_runs_total", "job=\"a.b\",state=\"dead\"", 3);
  exposition_value (body, "pruned_up", "", 0);
  g_assert_cmpstr (body->str, ==,
                   "# HELP pruned_runs_total Ended runs.\n"
                   "# TYPE pruned_runs_total counter\n"
                   "pruned_runs_total{job=\"a.b\",state=\"dead\"} 3\n"
                   "pruned_up 0\n");
}

/* Read back, it is the same number, whatever the locale writes for a point. */
static void
test_values_lose_nothing (void)
{
  static const double values[]
      = { 0.1, 1.0 / 3, 1795219800.123456, 9007199254740991.0, 1e300, -2.5 };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autoptr (GString) body = g_string_new (NULL);
    exposition_value (body, "x", "", values[i]);
    g_assert_true (g_str_has_prefix (body->str, "x "));
    g_assert_cmpfloat (g_ascii_strtod (body->str + 2, NULL), ==, values[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exposition/labels", test_labels_are_escaped);
  g_test_add_func ("/exposition/lines", test_lines);
  g_test_add_func ("/exposition/values", test_values_lose_nothing);
  return g_test_run ();
}
