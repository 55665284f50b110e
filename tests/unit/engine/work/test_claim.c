/* Which runs a lane may step, and whose messages it keeps or drops: docs/design.md, "PostgreSQL
 * decides, Kafka carries". The fence's answers are played. */
#include "support/claims.h"

#define A CLAIMS_A
#define B CLAIMS_B

static void
test_a_message_names_a_run_at_a_step (void)
{
  claims_begin ("", NULL);
  claims_message (B, 3, 0);
  claims_message (A, 3, 2);
  claims_row (A, "-", CLAIMS_NOON, CLAIMS_NOON, FALSE);
  claims_row (B, "-", CLAIMS_NOON, CLAIMS_NOON, FALSE);
  claims_are (2, 0, 0, "BEGIN fence");
  g_assert_cmpstr (played_bound ("fence", "job"), ==, CLAIMS_JOB);
  g_assert_cmpstr (played_bound ("fence", "run_id"), ==, "{" A "," B "}"); /* lock order */
  g_assert_cmpstr (played_bound ("fence", "step"), ==, "{3,3}");
  g_assert_cmpstr (played_bound ("fence", "attempt"), ==, "{2,0}");
  claims_end ();
}

/* Its run has moved on, has had another attempt, or is not there: it is dropped. */
static void
test_a_stale_message_has_no_run (void)
{
  const ClaimScene *scene = claims_begin ("", NULL);
  claims_message (A, 2, 0);
  claims_are (0, 0, 0, "BEGIN fence fence_locked");
  g_assert_cmpstr (played_bound ("fence_locked", "step"), ==, "{2}");
  g_assert_cmpstr (played_bound ("fence_locked", "attempt"), ==, "{0}");
  g_assert_cmpint (scene->lane->worker.locked_since_us, ==, 0);
  claims_end ();
}

/* What comes twice is one run. */
static void
test_of_several_messages_each_run_is_claimed_once (void)
{
  claims_begin ("", NULL);
  claims_run (A);
  claims_run (A);
  claims_message (B, 9, 0); /* stale */
  claims_are (1, 0, 0, "BEGIN fence fence_locked");
  claims_end ();
}

/* For up to a second; what holds its lock for longer delays no others. */
static void
test_the_message_of_a_locked_run_waits (void)
{
  static const struct {
    gint64 later_us;
    guint locked;
  } tries[] = { { 0, 1 }, { 900000, 1 }, { 100000, 0 }, { 0, 1 } };
  const ClaimScene *scene = claims_begin ("", NULL);
  claims_run (B);
  claims_message (A, 3, 0);
  for (guint i = 0; i < G_N_ELEMENTS (tries); i++) {
    played_begin ();
    played_later (tries[i].later_us);
    played_answer ("fence_locked", "run_id\n" A);
    claims_are (1, 0, tries[i].locked, "BEGIN fence fence_locked");
    g_assert_cmpint (scene->lane->worker.locked_since_us != 0, ==, tries[i].locked);
  }
  played_begin ();
  played_answer ("fence_locked", "run_id\n" B); /* by this transaction */
  claims_are (1, 0, 0, "BEGIN fence fence_locked");
  claims_end ();
}

/* The lane keeps its messages, and steps nothing. */
static void
test_an_outage_claims_nothing (void)
{
  static const struct {
    const char *statement, *settings, *passed;
  } cases[] = { { "BEGIN", "", NULL },
                { "fence", "", NULL },
                { "fence_locked", "", NULL },
                { "put_back", "not_between = 11:00-13:00\n", NULL },
                { "put_back", "", CLAIMS_WAITERS } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Claim) claim = { 0 };
    g_autoptr (GError) error = NULL;
    claims_begin (cases[i].settings, cases[i].passed);
    claims_run (A);
    claims_message (B, 3, 0);
    played_answer (cases[i].statement, NULL);
    g_test_message ("%s", cases[i].statement);
    g_assert_false (claims_lane (&claim, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
    claims_end ();
  }
}

/* --- pauses --- */

/* They are due as they were. Where the job is off they say so, and ask again after five seconds. */
static void
test_no_step_begins_in_a_pause_or_a_stop (void)
{
  static const struct {
    const char *settings;
    gboolean paused, off;
  } cases[] = { { "", TRUE, FALSE },
                { "enabled = false\n", FALSE, TRUE },
                { "mode = off\n", FALSE, TRUE },
                { "mode = off\n", TRUE, TRUE },
                { "not_between = 11:00-13:00\n", TRUE, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    claims_begin (cases[i].settings, CLAIMS_WAITERS);
    claims_message (A, 3, 0);
    claims_row (A, "-", CLAIMS_NOON, CLAIMS_NOON, cases[i].paused);
    g_test_message ("%u", i);
    claims_are (0, 1, 0, "BEGIN fence put_back");
    g_assert_cmpstr (played_bound ("put_back", "run_id"), ==, "{" A "}");
    g_assert_cmpstr (played_bound ("put_back", "until"), ==,
                     cases[i].off ? "{2026-11-28T12:00:05.000000Z}" : "{NULL}");
    g_assert_cmpstr (played_bound ("put_back", "error"), ==,
                     cases[i].off ? "{\"mode off\"}" : "{NULL}");
    g_assert_cmpstr (played_bound ("put_back", "class"), ==, "{NULL}");
    claims_end ();
  }
}

/* They are handled as in a pause. */
static void
test_the_runs_of_a_removed_job_wait (void)
{
  ClaimScene *scene = claims_begin ("", NULL);
  scene->job.name = (char *)"removed.job";
  claims_run (A);
  claims_are (0, 1, 0, "BEGIN fence put_back");
  g_assert_cmpstr (played_bound ("put_back", "error"), ==, "{NULL}");
  claims_end ();
}

static void
test_what_has_begun_is_settled_in_a_pause (void)
{
  g_auto (Claim) claim = { 0 };
  g_autoptr (GError) error = NULL;
  claims_begin ("mode = off\nnot_between = 11:00-13:00\n", CLAIMS_WAITERS);
  claims_message (A, 3, 0);
  claims_row (A, "-", CLAIMS_NOON, CLAIMS_NOON, TRUE);
  g_assert_true (claims_settle (&claim, &error));
  g_assert_true (claim.settles);
  g_assert_cmpuint (claim.runs->len, ==, 1);
  g_assert_cmpstr (played_asked (), ==, "BEGIN fence");
  claims_end ();
}

#define ADD(test) g_test_add_func ("/claim/" #test, test_##test)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (a_message_names_a_run_at_a_step);
  ADD (a_stale_message_has_no_run);
  ADD (of_several_messages_each_run_is_claimed_once);
  ADD (the_message_of_a_locked_run_waits);
  ADD (an_outage_claims_nothing);
  ADD (no_step_begins_in_a_pause_or_a_stop);
  ADD (the_runs_of_a_removed_job_wait);
  ADD (what_has_begun_is_settled_in_a_pause);
  return config_test_run ();
}
