/* What becomes of a run whose step has failed: docs/rules.md, "What a failure means", and
 * docs/jobs/README.md, 8 and 15. */
#include "engine/work/retry.h"

#include "engine/step/find.h"
#include "support/steps.h"

#define PARENT "11111111-1111-5111-8111-111111111111"
#define WHY "why it failed"
#define SECOND 1000
#define MISSING "42P01"

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
  retry_decision_clear (&decision);
  find_decide (scene->step);
  retry_decide (scene->step, sqlstate, &cause, &decision);
}

static void
end (void)
{
  retry_decision_clear (&decision);
  decision = (RetryDecision){ 0 };
  steps_end ();
}

static void
assert_waits (int attempts, gint64 least_ms, gint64 most_ms)
{
  g_assert_cmpstr (decision.state, ==, "waiting");
  g_assert_cmpint (decision.attempts, ==, attempts);
  g_assert_cmpint (decision.delay_ms, >=, least_ms);
  g_assert_cmpint (decision.delay_ms, <=, most_ms);
  g_assert_false (decision.blocked);
}

/* --- by the verdict --- */

/* Of the third failure: 2^4 + 15 + rand(0..9) * 3 seconds. */
static void
test_each_verdict (void)
{
  static const struct {
    PrunedVerdict verdict;
    const char *sqlstate, *state, *class;
    int charged;
    gint64 least_s, most_s;
  } cases[] = {
    { PRUNED_BUSY, "40001", "waiting", "40001", 0, 1, 10 },
    { PRUNED_BUSY, "40P01", "waiting", "40P01", 0, 1, 10 },
    { PRUNED_BUSY, "55P03", "waiting", "55P03", 0, 1, 10 },
    { PRUNED_BUSY, "57014", "waiting", "57014", 0, 1, 10 }, /* a cancel by `pruned` */
    { PRUNED_BUSY, "", "waiting", "busy", 0, 1, 10 },
    { PRUNED_RETRY, "", "waiting", "retry", 1, 31, 58 },
    { PRUNED_RETRY, "57014", "waiting", "57014", 1, 31, 58 }, /* no rows to be fewer of */
    { PRUNED_DATA, "23503", "waiting", "23503", 1, 31, 58 },
    { PRUNED_DATA, "", "waiting", "data", 1, 31, 58 },
    { PRUNED_REJECT, "", "dead", "reject", 1, 0, 0 },
    { PRUNED_REJECT, "22P02", "dead", "22P02", 1, 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("", "{\"id\":7}");
    scene->run.attempts = 2;
    decide (cases[i].verdict, cases[i].sqlstate);
    g_test_message ("%u", i);
    g_assert_cmpstr (decision.state, ==, cases[i].state);
    g_assert_cmpint (decision.attempts, ==, 2 + cases[i].charged);
    g_assert_cmpint (decision.delay_ms, >=, cases[i].least_s * SECOND);
    g_assert_cmpint (decision.delay_ms, <=, cases[i].most_s * SECOND);
    g_assert_cmpstr (decision.class, ==, cases[i].class);
    g_assert_cmpstr (decision.error, ==, WHY);
    g_assert_false (decision.blocked);
    g_assert_null (decision.result);
    end ();
  }
}

/* With 25 a run is dead at its 26th failure. What is charged to nobody ends no run. */
static void
test_attempts (void)
{
  static const int most[] = { 0, 1, 3, 25, 1000 }, before[] = { 0, 1, 2, 3, 24, 25, 26, 999, 1000 };
  for (guint m = 0; m < G_N_ELEMENTS (most); m++)
    for (guint i = 0; i < G_N_ELEMENTS (before); i++) {
      g_autofree char *settings = g_strdup_printf ("max_attempts = %d\n", most[m]);
      const char *state = before[i] >= most[m] ? "dead" : "waiting";
      begin (settings, NULL);
      scene->run.attempts = before[i];
      g_test_message ("%d of %d", before[i], most[m]);
      decide (PRUNED_RETRY, "");
      g_assert_cmpstr (decision.state, ==, state);
      g_assert_cmpint (decision.attempts, ==, before[i] + 1);
      decide (PRUNED_DATA, "23503");
      g_assert_cmpstr (decision.state, ==, state);
      decide (PRUNED_BUSY, "40P01");
      assert_waits (before[i], 1 * SECOND, 10 * SECOND);
      decide (PRUNED_REJECT, "");
      g_assert_cmpstr (decision.state, ==, "dead");
      end ();
    }
}

static void
test_the_pause_grows_by_the_formula (void)
{
  static const gint64 failures[] = { 0, 1, 2, 3, 10, 24 };
  begin ("", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint k = 0; k < 100; k++) {
      const gint64 n = failures[i], least_ms = (n * n * n * n + 15) * SECOND,
                   part_ms = (n + 1) * SECOND;
      scene->run.attempts = (int)n;
      decide (PRUNED_RETRY, "");
      assert_waits ((int)n + 1, least_ms, least_ms + 9 * part_ms);
      g_assert_cmpint ((decision.delay_ms - least_ms) % part_ms, ==, 0);
    }
  end ();
}

/* `retry_every_ms` of a job.conf: instead of the growing back-off. */
static void
test_the_pause_of_a_job_that_has_its_own (void)
{
  begin ("max_attempts = 3\n", NULL);
  scene->job.retry_every_ms = 600000;
  for (int attempts = 0; attempts < 3; attempts++) {
    scene->run.attempts = attempts;
    decide (PRUNED_RETRY, "");
    assert_waits (attempts + 1, 600000, 600000);
    decide (PRUNED_BUSY, "55P03");
    assert_waits (attempts, 1 * SECOND, 10 * SECOND);
  }
  scene->run.attempts = 3;
  decide (PRUNED_RETRY, "");
  g_assert_cmpstr (decision.state, ==, "dead");
  end ();
}

/* --- blocked --- */

static void
assert_result_is_blocked (void)
{
  const json_t *result = decision.result;
  g_assert_cmpstr (json_string_value (json_object_get (result, "status")), ==, "blocked");
  g_assert_cmpstr (json_string_value (json_object_get (result, "reason")), ==, WHY);
  g_assert_cmpint (json_integer_value (json_object_get (result, "removed")), ==, 0);
  g_assert_cmpint (json_integer_value (json_object_get (result, "updated_rows")), ==, 0);
}

/* Its tick is tried again by itself. What was counted was rolled back. */
static void
test_a_run_of_a_tick_ends_blocked (void)
{
  static const char *const missing[] = { MISSING, "42501", "42703", "3F000", "25006" };
  for (guint i = 0; i < G_N_ELEMENTS (missing); i++) {
    begin ("max_attempts = 0\n", NULL);
    step_count (scene->step, "removed", 7);
    decide (PRUNED_RETRY, missing[i]);
    g_assert_cmpstr (decision.state, ==, "finished");
    g_assert_true (decision.blocked);
    g_assert_cmpint (decision.attempts, ==, 0);
    g_assert_cmpstr (decision.error, ==, WHY);
    g_assert_cmpstr (decision.class, ==, missing[i]);
    assert_result_is_blocked ();
    end ();
  }
}

/* A child's run, an event's, and one in several lanes: they wait a minute. */
static void
test_a_run_that_must_not_be_forgotten_waits_uncharged (void)
{
  static const struct {
    const char *parent, *args, *cursor;
  } cases[] = { { PARENT, "{}", NULL },
                { NULL, "{\"member_id\":7}", NULL },
                { NULL, "{}", "{\"id\":7,\"ranges\":{\"then\":[]}}" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("max_attempts = 0\n", cases[i].cursor);
    steps_args (scene, cases[i].args);
    scene->run.parent_id = (char *)cases[i].parent;
    decide (PRUNED_RETRY, MISSING);
    assert_waits (0, 60 * SECOND, 60 * SECOND);
    g_assert_cmpstr (decision.error, ==, "blocked: " WHY);
    assert_result_is_blocked ();
    end ();
  }
}

static void
test_what_a_guard_has_stopped_is_blocked (void)
{
  begin ("max_attempts = 0\n", NULL);
  scene->step->blocked = TRUE;
  scene->step->error_class = "guard";
  decide (PRUNED_RETRY, "");
  g_assert_true (decision.blocked);
  g_assert_cmpint (decision.attempts, ==, 0);
  g_assert_cmpstr (decision.class, ==, "guard");
  end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/retry/verdicts", test_each_verdict);
  g_test_add_func ("/retry/attempts", test_attempts);
  g_test_add_func ("/retry/formula", test_the_pause_grows_by_the_formula);
  g_test_add_func ("/retry/own_pause", test_the_pause_of_a_job_that_has_its_own);
  g_test_add_func ("/retry/blocked", test_a_run_of_a_tick_ends_blocked);
  g_test_add_func ("/retry/blocked_waits", test_a_run_that_must_not_be_forgotten_waits_uncharged);
  g_test_add_func ("/retry/guard", test_what_a_guard_has_stopped_is_blocked);
  return config_test_run ();
}
