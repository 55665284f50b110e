/* What runs that events start may change together: docs/jobs/README.md, "Runs that events start".
 */
#include "engine/brakes/judge.h"

#include "support/days.h"

#include <string.h>

#define EVENT "{\"member_id\": 7}"
#define ANY LIMIT_NONE

static StepScene *scene;

static void
begin (const char *settings, const char *args)
{
  g_autofree char *text = g_strconcat (
      "max_rows = off\nmax_share = off\nmax_rows_per_day = off\nmax_ratio = off\n", settings, NULL);
  scene = days_begin (text, FALSE);
  steps_args (scene, args);
  scene->run.now_us = 10;
}

/* The statement `count`, which table_rows tells to count by: it is named by its text. */
static char *
count_name (void)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA1, "count", -1);
  g_autofree char *folder = g_path_get_basename (scene->job.folder);
  return g_strdup_printf ("%s#%.16s", folder, digest);
}

/* PostgreSQL's next answers. A table whose rows are counted is -1 by estimate. */
static void
answer (gint64 hour, gint64 day, gint64 estimate, gint64 counted)
{
  g_autofree char *went = g_strdup_printf ("hour|day\n%d|%d", (int)hour, (int)day),
                  *table = g_strdup_printf ("estimate|sql\n%d|count", (int)estimate),
                  *n = g_strdup_printf ("n\n%d", (int)counted), *count = count_name ();
  played_begin ();
  scene->step->pg = played_pg ();
  played_answer ("events", went);
  played_answer ("table_rows", table);
  played_answer (count, n);
}

static void
test_whose_limits_they_are (void)
{
  static const struct {
    const char *settings, *args;
    gint64 approved_until_us;
    gboolean are;
  } cases[] = {
    { "max_rows = 20\n", EVENT, 0, TRUE },
    { "max_share = 20 %\n", EVENT, 0, TRUE },
    { "max_rows = 20\n", "{}", 0, FALSE },
    { "max_rows = 20\n", "{\"member_id\": null}", 0, FALSE },
    { "max_rows = 20\n", EVENT, 11, FALSE }, /* approved */
    { "max_rows = 20\n", EVENT, 10, TRUE },  /* no longer */
    { "max_rows = 20\napprove = never\n", EVENT, 0, FALSE },
    { "max_rows_per_day = 20\nmax_ratio = 2\n", EVENT, 0, FALSE },
    { "max_share = 100 %\n", EVENT, 0, FALSE }, /* not more than all rows go */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%u", i);
    begin (cases[i].settings, cases[i].args);
    scene->run.approved_until_us = cases[i].approved_until_us;
    g_assert_cmpint (event_limits_are_of (scene->step), ==, cases[i].are);
    days_end ();
  }
}

static void
test_what_is_left (void)
{
  static const struct {
    const char *settings;
    gint64 went_hour, went_day, estimate, counted, hour, day;
  } cases[] = {
    { "max_rows = 20\n", 15, 15, 0, 0, 5, ANY },
    { "max_rows = 20\n", 25, 25, 0, 0, -5, ANY },
    /* as PostgreSQL estimates: the lower number */
    { "max_share = 20 %\n", 0, 1000, 20000, 0, ANY, 3000 },
    { "max_share = 20 %\n", 9, 4000, 20000, 0, ANY, 0 },
    /* rows that have gone were rows of the table */
    { "max_share = 20 %\n", 0, 100, -1, 9900, ANY, 1900 },
    /* below min_rows a share does not count */
    { "max_share = 20 %\n", 0, 900, -1, 100, ANY, 99 },
    { "max_share = 20 %\nmin_rows = 0\n", 0, 15, -1, 85, ANY, 5 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    StepEvents events;
    g_test_message ("%u", i);
    begin (cases[i].settings, EVENT);
    answer (cases[i].went_hour, cases[i].went_day, cases[i].estimate, cases[i].counted);
    g_assert_true (event_limits_read (scene->step, STEPS_RUN, NULL, 0, &events, &error));
    g_assert_cmpint (events.hour, ==, cases[i].hour);
    g_assert_cmpint (events.day, ==, cases[i].day);
    g_assert_cmpstr (played_bound ("events", "event_key"), ==, "{member_id}");
    days_end ();
  }
}

/* The run is held by the count that has refused its step, and is not counted again for that. */
static void
test_a_refused_step_is_held (void)
{
  static const struct {
    const char *settings;
    gint64 went, rows, below;
    const char *asked, *held;
  } cases[] = {
    { "max_rows = 20\n", 15, 5, 0, "day_alone events day_counted", NULL },
    { "max_rows = 20\n", 15, 6, 0, "day_alone events",
      "held: 6 rows after 15 by events within an hour are above max_rows 20" },
    { "max_share = 20 %\n", 3999, 1, 0, "day_alone events table_rows day_counted", NULL },
    { "max_share = 20 %\n", 3999, 2, 0, "day_alone events table_rows",
      "held: 2 rows after 3,999 by events today are 20.005 % of members, above max_share 20 %" },
    /* rows of other tables are no share of this one */
    { "max_share = 20 %\n", 3999, 50, 49, "day_alone events table_rows day_counted", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_auto (BrakeFinding) finding = { 0 };
    const RunCount count = { .rows = cases[i].rows, .below = cases[i].below };
    g_test_message ("%u", i);
    begin (cases[i].settings, EVENT);
    answer (cases[i].went, cases[i].went, 20000, 0);
    played_answer ("day_counted", "label|portion|age_us\na|0|0");
    scene->step->below = cases[i].below;
    if (cases[i].held == NULL)
      days_takes (cases[i].rows, cases[i].asked);
    else {
      days_refuses (cases[i].rows, cases[i].asked, FALSE, BRAKE_COUNT);
      scene->job.name = (char *)STEPS_JOB;
      g_assert_true (brake_judge (scene->step, &count, &finding, &error));
      g_assert_cmpstr (finding.error, ==, cases[i].held);
      g_assert_null (strstr (played_asked () + strlen (cases[i].asked), "events"));
    }
    days_end ();
  }
}

/* Approved runs, and those that no event has started, take nothing of it. */
static void
test_other_runs_take_nothing (void)
{
  begin ("max_rows = 20\n", "{}");
  days_answer (NULL, NULL, NULL);
  days_takes (100, "");
  days_end ();
  begin ("max_rows = 20\n", EVENT);
  scene->run.approved_until_us = 11;
  days_answer (NULL, NULL, NULL);
  days_takes (100, "");
  days_end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event_limits/whose", test_whose_limits_they_are);
  g_test_add_func ("/event_limits/left", test_what_is_left);
  g_test_add_func ("/event_limits/held", test_a_refused_step_is_held);
  g_test_add_func ("/event_limits/others", test_other_runs_take_nothing);
  return config_test_run ();
}
