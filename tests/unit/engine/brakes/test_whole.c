/* Which runs are counted as a whole before their first row goes, and what such a run takes of an
 * hour and a day. */
#include "engine/brakes/whole.h"

#include "support/days.h"

#define EVENT "{\"member_id\": 7}"

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

/* A run of several steps takes with the first of them what was counted, with its own row, and later
 * only what is above that. */
static void
test_a_run_takes_what_was_counted (void)
{
  static const struct {
    gint64 counted, done, rows, below, takes, own;
  } cases[] = {
    { -1, 0, 1, 0, 1, 1 },     { -1, 0, 5, 4, 5, 1 },  { 31, 0, 10, 10, 31, 1 },
    { 31, 10, 10, 10, 0, 0 },  { 31, 30, 1, 0, 0, 0 }, { 31, 30, 5, 4, 4, 0 },
    { 31, 31, 10, 10, 10, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 rows, own;
    g_test_message ("%u", i);
    begin ("max_rows = 20\n", EVENT);
    scene->run.rows_counted = cases[i].counted;
    scene->run.rows_done = cases[i].done;
    scene->step->rows = cases[i].rows;
    scene->step->below = cases[i].below;
    whole_taken (scene->step, &rows, &own);
    g_assert_cmpint (rows, ==, cases[i].takes);
    g_assert_cmpint (own, ==, cases[i].own);
    days_end ();
  }
}

/* A run that takes a tick is counted first if it can be in the middle of a row, or if a page says
 * nothing about the rows of others. */
static void
test_which_runs_are_counted_first (void)
{
  static const struct {
    const char *args;
    gboolean portions, takes_own, first, ends;
    gint64 counted, rows;
    gboolean is;
  } cases[] = {
    { "{}", TRUE, FALSE, TRUE, FALSE, -1, 5, TRUE },
    { "{}", TRUE, FALSE, TRUE, FALSE, -1, 0, TRUE },   /* a page of which all rows stay */
    { "{}", TRUE, FALSE, TRUE, FALSE, 31, 5, FALSE },  /* it was */
    { "{}", TRUE, FALSE, FALSE, FALSE, 31, 5, FALSE }, /* a later page */
    { "{}", TRUE, FALSE, TRUE, TRUE, -1, 5, FALSE },   /* its only step */
    { "{}", FALSE, TRUE, TRUE, FALSE, -1, 5, TRUE },
    { "{}", FALSE, FALSE, TRUE, FALSE, -1, 5, FALSE },
    { EVENT, FALSE, FALSE, FALSE, FALSE, -1, 5, TRUE },
    { EVENT, FALSE, FALSE, FALSE, FALSE, -1, 0, FALSE },
  };
  static const PgStatement *const some = (const PgStatement *)&scene; /* it is not run */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%u", i);
    begin ("max_rows = 20\n", cases[i].args);
    scene->job.large = cases[i].portions ? some : NULL;
    scene->job.takes_own = cases[i].takes_own;
    scene->run.rows_counted = cases[i].counted;
    scene->step->rows = cases[i].rows;
    scene->step->continues = !cases[i].ends;
    g_assert_cmpint (whole_counts_first (scene->step, cases[i].first), ==, cases[i].is);
    scene->job.large = NULL;
    scene->job.takes_own = FALSE;
    days_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whole/taken", test_a_run_takes_what_was_counted);
  g_test_add_func ("/whole/first", test_which_runs_are_counted_first);
  return config_test_run ();
}
