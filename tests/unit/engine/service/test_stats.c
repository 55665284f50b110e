/* Counters and distributions, as Prometheus defines them: a bucket counts what is not above its
 * bound, with what is in the smaller ones. */
#include "engine/service/stats.h"

#include <string.h>

static void
note (const char *name, const char *kind, const char *labels, double value, gpointer seen)
{
  g_autofree char *one = g_strdup_printf ("%s{%s}", name, labels);
  g_hash_table_insert (seen, g_strdup (one), g_strdup_printf ("%s %g", kind, value));
  g_assert_cmpstr (kind, ==, strstr (name, "_step_seconds_") != NULL ? "histogram" : "counter");
}

/* NULL: there is no such value. */
static char *
shown (const char *value)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  stats_each (note, seen);
  return g_strdup (g_hash_table_lookup (seen, value));
}

static void
assert_shown (const char *value, const char *wanted)
{
  g_autofree char *text = shown (value);
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_a_counter_adds_up_for_each_of_its_labels (void)
{
  stats_add (STATS_RUNS, "a.b", "finished", 1);
  stats_add (STATS_RUNS, "a.b", "finished", 2);
  stats_add (STATS_RUNS, "a.b", "dead", 1);
  stats_add (STATS_RUNS, "c.d", "finished", 10);
  assert_shown ("pruned_runs_total{job=\"a.b\",state=\"finished\"}", "counter 3");
  g_assert_cmpfloat (stats_get (STATS_RUNS, "a.b", "finished"), ==, 3);
  g_assert_cmpfloat (stats_get (STATS_RUNS, "a.b", NULL), ==, 4);
  g_assert_cmpfloat (stats_get (STATS_RUNS, NULL, "finished"), ==, 13);
  g_assert_cmpfloat (stats_get (STATS_RUNS, NULL, NULL), ==, 14);
  g_assert_cmpfloat (stats_get (STATS_RUNS, "e.f", NULL), ==, 0);
}

/* Else its first value could be no rise. */
static void
test_a_counter_is_shown_before_it_counts (void)
{
  assert_shown ("pruned_steps_total{job=\"a.b\"}", NULL);
  stats_show (STATS_STEPS, "a.b", NULL);
  assert_shown ("pruned_steps_total{job=\"a.b\"}", "counter 0");
  stats_add (STATS_DEAD_MESSAGES, NULL, NULL, 1);
  assert_shown ("pruned_dead_messages_total{}", "counter 1");
}

static void
test_a_distribution_is_cumulative (void)
{
  static const struct {
    const char *value, *shown;
  } cases[] = { { "_bucket{job=\"a.b\",le=\"0.001\"}", "histogram 1" },
                { "_bucket{job=\"a.b\",le=\"0.0025\"}", "histogram 2" },
                { "_bucket{job=\"a.b\",le=\"1\"}", "histogram 2" },
                { "_bucket{job=\"a.b\",le=\"2.5\"}", "histogram 3" },
                { "_bucket{job=\"a.b\",le=\"300\"}", "histogram 3" },
                { "_bucket{job=\"a.b\",le=\"+Inf\"}", "histogram 4" },
                { "_count{job=\"a.b\"}", "histogram 4" },
                { "_sum{job=\"a.b\"}", "histogram 1002.5" } };
  stats_observe (STATS_STEP_SECONDS, "a.b", 0.001); /* on the bound */
  stats_observe (STATS_STEP_SECONDS, "a.b", 0.0015);
  stats_observe (STATS_STEP_SECONDS, "a.b", 2.4975);
  stats_observe (STATS_STEP_SECONDS, "a.b", 1000);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = g_strconcat ("pruned_step_seconds", cases[i].value, NULL);
    assert_shown (name, cases[i].shown);
  }
}

static void
test_each_is_explained (void)
{
  g_assert_cmpstr (stats_help ("pruned_runs_total"), ==, "Ended runs, by final state.");
  g_assert_cmpstr (stats_help ("pruned_nothing"), ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stats/adds", test_a_counter_adds_up_for_each_of_its_labels);
  g_test_add_func ("/stats/shown", test_a_counter_is_shown_before_it_counts);
  g_test_add_func ("/stats/distribution", test_a_distribution_is_cumulative);
  g_test_add_func ("/stats/help", test_each_is_explained);
  return g_test_run ();
}
