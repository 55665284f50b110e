/* Why a run is held, in the words of issue and docs/operations.md. What limits say beside these:
 * test_judge.c, test_event_limits.c. */
#include "engine/brakes/held_words.h"

#include "support/jobs.h"

#define JOB "members.remove_expired"

static void
test_words (void)
{
  static const struct {
    const char *settings, *limit;
    RowLimits limits;
    RunCount count;
    gint64 approved_until_us;
    const char *words;
  } cases[] = {
    { "approve = first\n", "approve", .count = { 30000 },
      .words = "the first run of this job needs an approval (30,000 rows)" },
    { "approve = first\n", "approve", .count = { 1 },
      .words = "the first run of this job needs an approval (1 row)" },
    { "approve = always\n", "approve", .count = { 3 },
      .words = "each run of this job needs an approval (3 rows)" },
    /* it was approved for fewer rows, or too long ago */
    { "approve = first\n", "approve", .count = { 3 }, .approved_until_us = 1,
      .words = "this run needs another approval (3 rows)" },
    { "max_share = 20 %\n",
      "max_share",
      { .of_rows = 150204 },
      { 33796 },
      .words = "33,796 rows are 22.5 % of members, above max_share 20 %" },
    { "max_share = 0.5 %\n",
      "max_share",
      { .of_rows = 100000 },
      { 501 },
      .words = "501 rows are 0.501 % of members, above max_share 0.5 %" },
    /* statistics of before a purge */
    { "max_share = 20 %\n",
      "max_share",
      { .of_rows = 0 },
      { 1 },
      .words = "1 row is 100.0 % of members, above max_share 20 %" },
    { "max_share = 20 %\n",
      "max_share",
      { .of_rows = 10 },
      { 3, .unknown = TRUE },
      .words = "3 rows or more are above max_share 20 %" },
    { "max_rows = 0\n", "max_rows", .count = { 1 }, .words = "1 row is above max_rows 0" },
    { "max_rows_per_day = 5\n",
      "max_rows_per_day",
      { .went = 4000 },
      { 1 },
      .words = "1 row after 4,000 today is above max_rows_per_day 5" },
    { "max_ratio = 2.5\n",
      "max_ratio",
      { .usual = 1000 },
      { 2501 },
      .words = "2,501 rows are 2.501 times the usual 1,000, above max_ratio 2.5" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat ("[jobs." JOB "]\n", cases[i].settings, NULL);
    const Job *job = jobs_find (jobs_in_force (text), JOB);
    const Run run = { .job = job, .approved_until_us = cases[i].approved_until_us };
    g_autofree char *words = held_words (&cases[i].limits, &run, cases[i].limit, &cases[i].count);
    g_assert_cmpstr (words, ==, cases[i].words);
    jobs_in_force_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/held_words/words", test_words);
  return config_test_run ();
}
