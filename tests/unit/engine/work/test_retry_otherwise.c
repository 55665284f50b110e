/* A failed step that is tried again in another way, at once and uncharged: with fewer rows, in
 * portions, in another form of its search; and a range, which gives back what is left of it.
 * docs/design.md, "Pages"; docs/design-parts.md, "A run in several lanes". */
#include "engine/work/retry.h"

#include "engine/step/find.h"
#include "support/steps.h"

#define WHY "why it failed"
#define SLOW "57014"
#define PARENT "11111111-1111-5111-8111-111111111111"

static StepScene *scene;
static RetryDecision decision;

static void
begin (const char *settings, const char *cursor)
{
  scene = steps_begin (settings, cursor);
}

static void
decide (PrunedVerdict verdict, const char *sqlstate)
{
  const GError cause = { PRUNED_ERROR, (gint)verdict, (char *)WHY };
  find_decide (scene->step);
  retry_decide (scene->step, sqlstate, &cause, &decision);
}

/* What the run's row has in its cursor then, in the old form. NULL: the decision leaves it alone.
 */
static json_t *
cursor (void)
{
  g_autofree char *cursor = NULL, *progress = NULL;
  if (decision.progress == NULL)
    return NULL;
  run_progress_write (&scene->job, scene->run.cursor, decision.progress, &cursor, &progress);
  return json_parse (cursor, strlen (cursor), NULL);
}

static gint64
in_cursor (const char *key)
{
  g_autoptr (json_t) written = cursor ();
  return json_integer_value (json_object_get (written, key));
}

static void
end (void)
{
  retry_decision_clear (&decision);
  decision = (RetryDecision){ 0 };
  steps_end ();
}

/* AT_ONCE: and uncharged; else it is the run's first failure. */
static void
assert_tried (gboolean at_once)
{
  g_assert_cmpstr (decision.state, ==, "waiting");
  g_assert_cmpint (decision.attempts, ==, at_once ? 0 : 1);
  g_assert_cmpint (decision.delay_ms == 0, ==, at_once);
}

/* TRIED: rows that the step was about to touch. */
static void
test_a_step_that_is_too_slow_is_tried_with_half_of_its_rows (void)
{
  static const struct {
    const char *cursor;
    gint64 tried, limit; /* 0: it was one row already */
  } cases[] = { { "{\"id\":7}", 1000, 500 },
                { "{\"id\":7}", 300, 150 },
                { "{\"id\":7,\"limit\":500}", 500, 250 },
                { "{\"id\":7,\"limit\":3}", 3, 1 },
                { "{\"id\":7,\"limit\":2}", 1, 1 },
                { "{\"id\":7,\"limit\":1}", 1, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("", cases[i].cursor);
    step_limit (scene->step, 1000);
    step_tries (scene->step, cases[i].tried);
    decide (PRUNED_RETRY, SLOW);
    g_test_message ("%u", i);
    assert_tried (cases[i].limit > 0);
    g_assert_cmpint (decision.limit, ==, cases[i].limit);
    g_assert_cmpint (in_cursor ("limit"), ==, MAX (1, cases[i].limit));
    g_assert_cmpint (in_cursor ("timeouts"), ==, cases[i].limit == 0);
    g_assert_cmpint (in_cursor ("id"), ==, 7);
    end ();
  }
}

/* Nothing is charged, however many attempts are left. */
static void
test_a_slow_step_ends_no_run_as_long_as_it_can_be_smaller (void)
{
  begin ("max_attempts = 0\n", NULL);
  scene->run.attempts = 7;
  step_limit (scene->step, 1000);
  step_tries (scene->step, 1000);
  decide (PRUNED_RETRY, SLOW);
  g_assert_cmpstr (decision.state, ==, "waiting");
  g_assert_cmpint (decision.attempts, ==, 7);
  end ();
}

/* The first time; then the row is charged. */
static void
test_one_row_that_is_too_slow_goes_in_portions (void)
{
  static const struct {
    const char *cursor;
    gint64 timeouts;
    gboolean at_once;
  } cases[] = { { "{\"limit\":1}", 1, TRUE },
                { "{\"limit\":1,\"timeouts\":1}", 2, FALSE },
                { "{\"limit\":1,\"portion\":{\"key\":\"7\"}}", 1, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("", cases[i].cursor);
    scene->job.large = scene->job.page;
    step_limit (scene->step, 1000);
    decide (PRUNED_RETRY, SLOW);
    g_test_message ("%u", i);
    assert_tried (cases[i].at_once);
    g_assert_cmpint (in_cursor ("timeouts"), ==, cases[i].timeouts);
    end ();
  }
}

/* Down to one row. */
static void
test_rows_that_fail_only_beside_each_other_are_tried_apart (void)
{
  static const struct {
    guint page;
    gint64 limit; /* 0: it is charged */
  } cases[] = { { 1000, 500 }, { 7, 3 }, { 2, 1 }, { 1, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("batch = 1000\n", NULL);
    scene->step->halve = TRUE;
    scene->step->bisect->page = cases[i].page;
    decide (PRUNED_DATA, "23505");
    assert_tried (cases[i].limit > 0);
    g_assert_cmpint (decision.limit, ==, cases[i].limit);
    g_assert_cmpint (in_cursor ("limit"), ==, cases[i].limit);
    end ();
  }
}

/* First rows in quarantine are asked by themselves, then all rows. TURN: how often it has failed
 * before. A run about one row searches nothing. */
static void
test_a_search_that_fails_goes_on_in_another_form (void)
{
  static const struct {
    PrunedVerdict verdict;
    const char *sqlstate, *args;
    int turn;
    gboolean at_once;
  } cases[] = { { PRUNED_DATA, "22P02", "{}", 0, TRUE },
                { PRUNED_DATA, "22P02", "{}", 1, TRUE },
                { PRUNED_DATA, "22P02", "{}", 2, FALSE },
                { PRUNED_RETRY, SLOW, "{}", 1, TRUE },
                { PRUNED_RETRY, "", "{}", 0, FALSE },
                { PRUNED_DATA, "22P02", "{\"member_id\":7}", 0, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *cursor = g_strdup_printf ("{\"by_rows\":%d}", cases[i].turn);
    begin ("", cases[i].turn > 0 ? cursor : NULL);
    Job known = scene->job, all = scene->job;
    const Job *forms[JOB_FORMS] = { [FORM_KNOWN] = &known, [FORM_ALL] = &all };
    known.form = FORM_KNOWN;
    all.form = FORM_ALL;
    scene->job.forms = forms;
    scene->job.form = FORM_WHERE + (JobForm)cases[i].turn;
    scene->step->searching = TRUE;
    steps_args (scene, cases[i].args);
    decide (cases[i].verdict, cases[i].sqlstate);
    g_test_message ("%u", i);
    assert_tried (cases[i].at_once);
    g_assert_cmpint (decision.by_rows, ==, cases[i].at_once);
    if (cases[i].at_once)
      g_assert_cmpint (in_cursor ("by_rows"), ==, cases[i].turn + 1);
    end ();
  }
}

/* The third time its rows are quarantined. */
static void
test_a_page_that_fails_alike_is_charged_and_counted (void)
{
  begin ("", "{\"id\":7,\"systemic\":1}");
  scene->step->systemic = TRUE;
  decide (PRUNED_RETRY, "");
  assert_tried (FALSE);
  g_assert_cmpint (in_cursor ("systemic"), ==, 2);
  g_assert_cmpint (in_cursor ("id"), ==, 7);
  end ();
}

/* --- ranges --- */

#define RANGE "{\"id\":7,\"ranges\":{\"until\":{\"id\":9}}}"

/* It goes on after a lock and a cut. All else is its run's: attempts, errors, the end. */
static void
test_a_range_gives_back_what_is_left (void)
{
  static const struct {
    PrunedVerdict verdict;
    const char *sqlstate, *state;
  } cases[] = { { PRUNED_BUSY, "40P01", "waiting" },  { PRUNED_RETRY, SLOW, "waiting" },
                { PRUNED_RETRY, "", "skipped" },      { PRUNED_DATA, "23503", "skipped" },
                { PRUNED_RETRY, "42P01", "skipped" }, { PRUNED_REJECT, "", "skipped" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("max_attempts = 0\n", RANGE);
    scene->run.range_of = (char *)PARENT;
    step_limit (scene->step, 1000);
    decide (cases[i].verdict, cases[i].sqlstate);
    g_test_message ("%u", i);
    g_assert_cmpstr (decision.state, ==, cases[i].state);
    g_assert_cmpint (decision.attempts, ==, 0);
    g_assert_false (decision.blocked);
    g_assert_null (decision.result);
    end ();
  }
}

/* So that its end reports all of them. */
static void
test_a_run_that_is_about_to_die_takes_its_ranges_in_first (void)
{
  static const struct {
    const char *ranges, *state;
  } cases[] = { { "{\"beside\":true}", "waiting" },
                { "{\"beside\":true,\"gather\":true}", "dead" },
                { "{\"then\":[]}", "dead" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *cursor = g_strdup_printf ("{\"id\":7,\"ranges\":%s}", cases[i].ranges);
    const gboolean waits = i == 0;
    begin ("max_attempts = 0\n", cursor);
    decide (PRUNED_RETRY, "");
    g_test_message ("%u", i);
    g_assert_cmpstr (decision.state, ==, cases[i].state);
    g_assert_cmpint (decision.attempts, ==, !waits);
    if (waits) {
      g_assert_cmpint (decision.delay_ms, ==, 0);
      g_assert_true (json_is_true (json_object_get (decision.progress->ranges, "gather")));
      g_assert_cmpint (in_cursor ("id"), ==, 7);
    }
    end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/retry/half", test_a_step_that_is_too_slow_is_tried_with_half_of_its_rows);
  g_test_add_func ("/retry/slow", test_a_slow_step_ends_no_run_as_long_as_it_can_be_smaller);
  g_test_add_func ("/retry/portions", test_one_row_that_is_too_slow_goes_in_portions);
  g_test_add_func ("/retry/apart", test_rows_that_fail_only_beside_each_other_are_tried_apart);
  g_test_add_func ("/retry/search", test_a_search_that_fails_goes_on_in_another_form);
  g_test_add_func ("/retry/systemic", test_a_page_that_fails_alike_is_charged_and_counted);
  g_test_add_func ("/retry/range", test_a_range_gives_back_what_is_left);
  g_test_add_func ("/retry/gather", test_a_run_that_is_about_to_die_takes_its_ranges_in_first);
  return config_test_run ();
}
