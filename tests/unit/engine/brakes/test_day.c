/* The rows that all runs of a job may change within a day: docs/jobs/README.md, "Limits", and
 * docs/design-parts.md, "The rows of a day". */
#include "engine/brakes/day.h"

#include "support/days.h"

#define LIMIT "max_rows_per_day = 1000\n"

static StepScene *scene;

/* A process that has 75 of 1000 rows left to take, under the label `a`. */
static void
begin_with_75 (void)
{
  scene = days_begin (LIMIT, FALSE);
  days_answer_count ("300", "a", 75);
  days_takes (100, DAYS_COUNTED);
  day_took (&days_allowance);
}

/* Of 1000, 300 have gone and 100 go now. */
static void
test_the_first_step_of_a_process_counts (void)
{
  begin_with_75 ();
  g_assert_cmpstr (played_bound ("day_counted", "given"), ==, "475");
  g_assert_cmpstr (played_bound ("day_counted", "portion"), ==, "75");
  days_end ();
}

static void
test_further_steps_take_what_the_process_was_given (void)
{
  begin_with_75 ();
  days_answer (NULL, "a", NULL);
  days_takes (50, DAYS_MEMORY);
  days_answer (NULL, "a", NULL);
  days_takes (25, DAYS_MEMORY);
  days_answer (NULL, NULL, "a|40|0");
  days_takes (1, DAYS_GIVEN);
  g_assert_cmpstr (played_bound ("day_give", "rows"), ==, "1");
  g_assert_cmpstr (played_bound ("day_give", "most"), ==, "1000");
  g_assert_cmpstr (played_bound ("day_give", "parts"), ==, "8");
  g_assert_cmpstr (played_bound ("day_give", "fresh_us"), ==, "60000000");
  day_took (&days_allowance);
  days_answer (NULL, "a", NULL);
  days_takes (40, DAYS_MEMORY);
  days_end ();
}

/* Children are rows of the run. */
static void
test_children_are_taken_too (void)
{
  begin_with_75 ();
  days_answer (NULL, "a", NULL);
  g_array_set_size (scene->step->children, 3);
  days_takes (72, DAYS_MEMORY);
  days_answer (NULL, NULL, "a|40|0");
  days_takes (1, DAYS_GIVEN);
  g_assert_cmpstr (played_bound ("day_give", "rows"), ==, "4");
  days_end ();
}

static void
test_an_allowance_of_another_count_is_void (void)
{
  begin_with_75 ();
  days_answer (NULL, "b", "b|10|0");
  days_takes (5, DAYS_MEMORY " day_give");
  day_took (&days_allowance);
  days_answer (NULL, "b", NULL);
  days_takes (10, DAYS_MEMORY);
  days_answer (NULL, NULL, "b|10|0");
  days_takes (1, DAYS_GIVEN); /* nothing of the 75 is left */
  days_end ();
}

static void
test_what_a_step_that_is_rolled_back_was_given_is_nobodys (void)
{
  scene = days_begin (LIMIT, FALSE);
  days_answer_count ("300", "a", 75);
  days_takes (100, DAYS_COUNTED);
  days_answer_count ("300", "b", 75);
  days_takes (100, DAYS_COUNTED);
  days_end ();
}

/* Where no rows are left to give, the step is done again, and counts alone. */
static void
test_a_step_is_refused_by_a_count_only (void)
{
  begin_with_75 ();
  days_answer (NULL, NULL, NULL);
  days_refuses (76, DAYS_GIVEN, TRUE, BRAKE_NONE);
  days_answer_count ("924", "b", 0);
  days_takes (76, DAYS_COUNTED);
  day_took (&days_allowance);
  days_answer (NULL, NULL, NULL);
  days_refuses (1, DAYS_GIVEN, TRUE, BRAKE_NONE);
  days_answer ("1000", NULL, NULL);
  days_refuses (1, "day_alone day", FALSE, BRAKE_COUNT);
  days_answer ("1000", NULL, NULL);
  days_refuses (1, "day_alone day", FALSE, BRAKE_COUNT);
  days_end ();
}

/* Rows that others had taken and did not change are there again. */
static void
test_after_a_refusal_the_next_step_counts (void)
{
  begin_with_75 ();
  days_answer (NULL, NULL, NULL);
  days_refuses (76, DAYS_GIVEN, TRUE, BRAKE_NONE);
  days_answer_count ("400", "b", 73);
  days_takes (10, DAYS_COUNTED);
  g_assert_cmpstr (played_bound ("day_counted", "given"), ==, "483"); /* 410 + 590 / 8 */
  day_took (&days_allowance);
  days_answer (NULL, "b", NULL);
  days_takes (73, DAYS_MEMORY);
  days_end ();
}

static void
test_the_last_row_may_go_and_no_more (void)
{
  static const struct {
    const char *sum;
    gint64 rows;
    gboolean goes;
  } cases[]
      = { { "0", 1000, TRUE },  { "0", 1001, FALSE }, { "999", 1, TRUE },   { "999", 2, FALSE },
          { "1000", 1, FALSE }, { "1200", 1, FALSE }, { "400", 600, TRUE }, { "400", 601, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    scene = days_begin (LIMIT, FALSE);
    days_answer_count (cases[i].sum, "a", 0);
    g_test_message ("%u", i);
    if (cases[i].goes)
      days_takes (cases[i].rows, DAYS_COUNTED);
    else
      days_refuses (cases[i].rows, "day_alone day", FALSE, BRAKE_COUNT);
    days_end ();
  }
}

/* Of several runs in one transaction it is not known which exceeds: each goes alone. A range gives
 * way to its run. */
static void
test_who_is_refused_otherwise (void)
{
  scene = days_begin (LIMIT, FALSE);
  scene->step->shared = TRUE;
  days_answer ("1000", NULL, NULL);
  days_refuses (1, "day_alone day", FALSE, BRAKE_NONE);
  g_assert_false (days_allowance.again);
  scene->step->shared = FALSE;
  scene->run.range_of = (char *)STEPS_RUN;
  days_answer ("1000", NULL, NULL);
  days_refuses (1, "day_alone day", FALSE, BRAKE_RANGES);
  days_end ();
}

static void
test_a_shared_transaction_is_done_again_for_a_count (void)
{
  begin_with_75 ();
  scene->step->shared = TRUE;
  days_answer (NULL, NULL, NULL);
  days_refuses (76, DAYS_GIVEN, FALSE, BRAKE_NONE);
  g_assert_true (days_allowance.again);
  days_end ();
}

/* It takes its rows as well, so they count for others. */
static void
test_an_approved_run_is_not_refused (void)
{
  scene = days_begin (LIMIT, FALSE);
  scene->run.now_us = 10;
  scene->run.approved_until_us = 11;
  days_answer_count ("1000", "a", 0);
  days_takes (50, DAYS_COUNTED);
  g_assert_cmpstr (played_bound ("day_counted", "given"), ==, "1050");
  g_assert_cmpstr (played_bound ("day_counted", "portion"), ==, "0");
  scene->run.approved_until_us = 10;
  days_answer ("1050", NULL, NULL);
  days_refuses (1, "day_alone day", FALSE, BRAKE_COUNT);
  days_end ();
}

/* Processes of another version, or without the limit, take no rows. A count is no fresher for a
 * process that hears of it later. */
static void
test_a_count_holds_for_a_minute (void)
{
  begin_with_75 ();
  played_later (59 * G_USEC_PER_SEC);
  days_answer (NULL, "a", NULL);
  days_takes (1, DAYS_MEMORY);
  played_later (1 * G_USEC_PER_SEC);
  days_answer_count ("401", "b", 70);
  days_takes (1, DAYS_COUNTED);
  day_took (&days_allowance);
  days_answer (NULL, NULL, "b|40|50000000");
  days_takes (71, DAYS_GIVEN);
  day_took (&days_allowance);
  played_later (10 * G_USEC_PER_SEC);
  days_answer_count ("473", "c", 60);
  days_takes (1, DAYS_COUNTED);
  days_end ();
}

/* A reload has changed it. */
static void
test_another_limit_is_counted_for (void)
{
  begin_with_75 ();
  days_end ();
  scene = days_begin ("max_rows_per_day = 500\n", TRUE);
  days_answer_count ("400", "b", 0);
  days_refuses (101, "day_alone day", FALSE, BRAKE_COUNT);
  days_end ();
}

static void
test_nothing_is_asked_without_a_limit_or_rows (void)
{
  static const struct {
    const char *settings;
    gint64 rows;
  } cases[] = { { "max_rows_per_day = off\n", 1000 },
                { "max_rows_per_day = 10\napprove = never\n", 1000 },
                { "max_rows_per_day = 10\n", 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    scene = days_begin (cases[i].settings, FALSE);
    days_takes (cases[i].rows, "");
    day_took (&days_allowance);
    days_end ();
  }
}

static void
test_an_outage_gives_nothing (void)
{
  static const struct {
    const char *statement;
    gint64 rows;
  } cases[]
      = { { "day_share", 10 }, { "day_label", 10 }, { "day_share", 100 }, { "day_give", 100 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    begin_with_75 ();
    played_begin ();
    scene->step->pg = played_pg ();
    played_answer (cases[i].statement, NULL);
    g_assert_false (days_take (cases[i].rows, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
    g_assert_null (days_allowance.given[0].label);
    days_answer (NULL, "a", NULL);
    days_takes (75, DAYS_MEMORY); /* none of them was spent */
    days_end ();
  }
}

#define ADD(test) g_test_add_func ("/day/" #test, test_##test)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (the_first_step_of_a_process_counts);
  ADD (further_steps_take_what_the_process_was_given);
  ADD (children_are_taken_too);
  ADD (an_allowance_of_another_count_is_void);
  ADD (what_a_step_that_is_rolled_back_was_given_is_nobodys);
  ADD (a_step_is_refused_by_a_count_only);
  ADD (after_a_refusal_the_next_step_counts);
  ADD (the_last_row_may_go_and_no_more);
  ADD (who_is_refused_otherwise);
  ADD (a_shared_transaction_is_done_again_for_a_count);
  ADD (an_approved_run_is_not_refused);
  ADD (a_count_holds_for_a_minute);
  ADD (another_limit_is_counted_for);
  ADD (nothing_is_asked_without_a_limit_or_rows);
  ADD (an_outage_gives_nothing);
  return config_test_run ();
}
