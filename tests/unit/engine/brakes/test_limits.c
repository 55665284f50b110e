/* The limits of a run, as docs/jobs/README.md and docs/operations.md have them. */
#include "engine/brakes/limits.h"

#include "support/jobs.h"

#define JOB "members.remove_expired"
#define OFF LIMIT_NONE

static void
test_a_run_exceeds_the_first_of_the_limits (void)
{
  static const struct {
    gint64 max_rows, share, day, ratio, rows;
    const char *limit;
  } cases[] = {
    { 20, OFF, OFF, OFF, 20, NULL },
    { 20, OFF, OFF, OFF, 21, "max_rows" },
    { OFF, 20, OFF, OFF, 20, NULL },
    { OFF, 20, OFF, OFF, 21, "max_share" },
    { OFF, OFF, 20, OFF, 20, NULL },
    { OFF, OFF, 20, OFF, 21, "max_rows_per_day" },
    { OFF, OFF, OFF, 20, 20, NULL },
    { OFF, OFF, OFF, 20, 21, "max_ratio" },
    { 20, 20, 20, 20, 21, "max_rows" },
    { OFF, 20, 20, 20, 21, "max_share" },
    { OFF, OFF, 20, 20, 21, "max_rows_per_day" },
    { 40, 30, 20, 10, 11, "max_ratio" },
    { OFF, OFF, OFF, OFF, 1000000000000, NULL },
    { 0, OFF, OFF, OFF, 1, "max_rows" },
    { 0, 0, 0, 0, 0, NULL }, /* a run that changes no row is never held */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const RowLimits limits = { .max_rows = cases[i].max_rows,
                               .share = cases[i].share,
                               .day = cases[i].day,
                               .ratio = cases[i].ratio };
    g_test_message ("%u", i);
    g_assert_cmpstr (limits_exceeded (&limits, cases[i].rows), ==, cases[i].limit);
    g_assert_true ((cases[i].rows > limits_least (&limits)) == (cases[i].limit != NULL));
  }
}

/* The measure that `held` has with --json. */
static void
test_what_a_limit_is_compared_with (void)
{
  static const char *const cases[][2] = { { "max_rows", "{}" },
                                          { "max_share", "{\"table_rows\":57482}" },
                                          { "max_rows_per_day", "{\"went_today\":540}" },
                                          { "max_ratio", "{\"usual\":10}" } };
  const RowLimits limits = { .of_rows = 57482, .went = 540, .usual = 10 };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (json_t) held = json_object ();
    limits_add_measure (&limits, cases[i][0], held);
    g_autofree char *text = json_text (held);
    g_assert_cmpstr (text, ==, cases[i][1]);
  }
}

/* Below min_rows share and ratio do not count. Unless a job of one's own sets it, its share counts
 * for a table of 1,000 rows or more. */
static void
test_rows_that_exceed_neither_share_nor_ratio (void)
{
  enum { TWENTY_PERCENT = 20000 };
  static const struct {
    gint64 min_rows, max_share;
    gboolean share_of_large;
    gint64 rows;
  } cases[] = {
    { 1000, TWENTY_PERCENT, FALSE, 999 },
    { 1, TWENTY_PERCENT, FALSE, 0 },
    { 1000, TWENTY_PERCENT, TRUE, 200 },
    { 100, TWENTY_PERCENT, TRUE, 99 },
    { 1000, -1, TRUE, 999 },
    { 1000, 0, TRUE, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const JobLimits set = { .min_rows = cases[i].min_rows,
                            .max_share = cases[i].max_share,
                            .max_ratio = -1,
                            .share_of_large = cases[i].share_of_large };
    g_assert_cmpint (share_free_rows (&set), ==, cases[i].rows);
  }
  g_assert_cmpint (share_free_rows (&(JobLimits){ .max_share = TWENTY_PERCENT }), <, 1);
}

/* RunHeld has all that are on. */
static void
test_limits_that_are_off_are_not_named (void)
{
  static const struct {
    const char *lines, *limits;
  } cases[] = {
    { "max_rows = 20\nmax_share = 20 %\nmax_rows_per_day = 600\nmax_ratio = 2.5\nmin_rows = 7\n",
      "{\"max_ratio\":\"2.5\",\"max_rows\":20,\"max_rows_per_day\":600,\"max_share\":\"20 %\","
      "\"min_rows\":7}" },
    { "max_rows = off\nmax_share = off\nmax_rows_per_day = off\nmax_ratio = off\nmin_rows = 7\n",
      "{\"min_rows\":7}" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat ("[jobs." JOB "]\n", cases[i].lines, NULL);
    const Jobs *jobs = jobs_in_force (text);
    g_autoptr (json_t) limits = limits_settings (jobs_find (jobs, JOB));
    g_autofree char *json = json_canonical (limits);
    g_assert_cmpstr (json, ==, cases[i].limits);
    jobs_in_force_end ();
  }
}

/* As many rows as a page has, or a small part of the day's limit. */
static void
test_a_shared_transaction_has_few_rows (void)
{
  static const struct {
    const char *day;
    gint64 least, most;
  } cases[] = { { "off", 50, 50 }, { "1000000", 50, 50 }, { "600", 1, 49 }, { "10", 0, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text
        = g_strdup_printf ("[jobs." JOB "]\nbatch = 50\nmax_rows_per_day = %s\n", cases[i].day);
    const Jobs *jobs = jobs_in_force (text);
    const gint64 rows = limits_shared_rows (jobs_find (jobs, JOB));
    g_assert_cmpint (rows, >=, cases[i].least);
    g_assert_cmpint (rows, <=, cases[i].most);
    jobs_in_force_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limits/exceeded", test_a_run_exceeds_the_first_of_the_limits);
  g_test_add_func ("/limits/measures", test_what_a_limit_is_compared_with);
  g_test_add_func ("/limits/free", test_rows_that_exceed_neither_share_nor_ratio);
  g_test_add_func ("/limits/settings", test_limits_that_are_off_are_not_named);
  g_test_add_func ("/limits/shared", test_a_shared_transaction_has_few_rows);
  return config_test_run ();
}
