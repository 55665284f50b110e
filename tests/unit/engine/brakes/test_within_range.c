/* When a range of a divided run gives way to its run: docs/design-parts.md, "A run in several
 * lanes". */
#include "engine/brakes/within_range.h"

#include "engine/brakes/limits.h"
#include "support/jobs.h"

#include <string.h>

#define JOB "members.remove_expired"
#define LIMITS                                                                                     \
  "[jobs." JOB "]\nmax_rows = 100\nmax_share = 20 %\nmax_ratio = 2\nmax_rows_per_day = off\n"
#define AS_SET "\"most\":100,\"share\":20000,\"ratio\":2000"

typedef struct {
  const char *settings, *ranges; /* what its progress has of it */
  gint64 done, rows;             /* before this step, and in it */
  gboolean approved, goes_on;
} Case;

static void
assert_case (const Case *one)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat (LIMITS, one->settings, NULL);
  g_autofree char *ranges = g_strdup_printf ("{\"beside\":true,%s}", one->ranges);
  const Job *job = jobs_find (jobs_in_force (text), JOB);
  Run run = { .job = job,
              .progress = { .ranges = json_parse (ranges, strlen (ranges), &error) },
              .rows_done = one->done,
              .now_us = 10,
              .approved_until_us = one->approved ? 11 : 0 };
  g_assert_no_error (error);
  Step step = { .job = job, .run = &run };
  g_assert_cmpint (brake_within_range (&step, one->rows, &error), ==, one->goes_on);
  g_assert_cmpint (step.brake, ==, one->goes_on ? BRAKE_NONE : BRAKE_RANGES);
  if (!one->goes_on)
    g_assert_error (error, PRUNED_ERROR, PRUNED_RETRY);
  run_progress_clear (&run.progress);
  jobs_in_force_end ();
}

static void
test_a_range_gives_way (void)
{
  static const Case cases[] = {
    /* its part of what the run may change */
    { "", AS_SET ",\"quota\":50", 0, 50, FALSE, TRUE },
    { "", AS_SET ",\"quota\":50", 20, 30, FALSE, TRUE },
    { "", AS_SET ",\"quota\":50", 20, 31, FALSE, FALSE },
    { "", AS_SET, 0, 1000000, FALSE, TRUE },
    /* a limit is lowered, raised, or off */
    { "max_rows = 99\n", AS_SET, 0, 1, FALSE, FALSE },
    { "max_rows = 101\n", AS_SET, 0, 1, FALSE, TRUE },
    { "max_rows = off\n", AS_SET, 0, 1, FALSE, TRUE },
    { "max_share = 19 %\n", AS_SET, 0, 1, FALSE, FALSE },
    { "max_share = 21 %\n", AS_SET, 0, 1, FALSE, TRUE },
    { "max_ratio = 1.5\n", AS_SET, 0, 1, FALSE, FALSE },
    { "max_ratio = 3\n", AS_SET, 0, 1, FALSE, TRUE },
    /* one that was off holds now, or all were */
    { "", "\"share\":20000,\"ratio\":2000", 0, 1, FALSE, FALSE },
    { "", AS_SET ",\"free\":true", 0, 1, FALSE, FALSE },
    /* the approval with which it was divided */
    { "", AS_SET ",\"quota\":500,\"approved\":true", 0, 500, TRUE, TRUE },
    { "max_rows = 1\n", AS_SET ",\"quota\":500,\"approved\":true", 0, 500, TRUE, TRUE },
    { "", AS_SET ",\"quota\":500,\"approved\":true", 0, 501, TRUE, FALSE },
    { "", AS_SET ",\"quota\":500,\"approved\":true", 0, 1, FALSE, FALSE }, /* it has ended */
    { "", AS_SET ",\"quota\":50", 0, 1, TRUE, FALSE },                     /* it has come since */
    /* each run is asked for */
    { "approve = always\n", AS_SET, 0, 1, FALSE, FALSE },
    { "approve = always\n", AS_SET, 0, 0, FALSE, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%u: %s %s", i, cases[i].settings, cases[i].ranges);
    assert_case (&cases[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/within_range/gives_way", test_a_range_gives_way);
  return config_test_run ();
}
