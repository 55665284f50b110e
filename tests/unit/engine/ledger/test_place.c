/* The outcome for new runs, by PostgreSQL's answers. */
#include "engine/ledger/place.h"

#include "engine/job/in_force.h"
#include "jobs/jobs.h"
#include "support/played.h"
#include <string.h>

#define A "00000000-0000-5000-8000-00000000000a"
#define B "00000000-0000-5000-8000-00000000000b"
#define HOLDER "00000000-0000-5000-8000-0000000000ff"
#define INSERTED "run_id|state|due_at\n"
#define LOST "ord|known|holder\n"
#define HELD "run_id|attempts|retrying\n"

static const Job *job;

static RunSpec *
spec_at (GArray *specs, guint i)
{
  return &g_array_index (specs, RunSpec, i);
}

/* Two ids for two runs; NULL: only one run. */
static GArray *
specs_of (const char *first, const char *second)
{
  GArray *specs = run_specs_new ();
  const char *ids[] = { first, second };
  for (int i = 0; i < 2 && ids[i] != NULL; i++) {
    RunSpec spec = { .run_id = g_strdup (ids[i]),
                     .job = job,
                     .scheduled_at_us = 1000000,
                     .unique_key = g_strdup ("a.b"),
                     .args = json_object () };
    g_array_append_val (specs, spec);
  }
  return specs;
}

static void
place (GArray *specs, gboolean as_children)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (place_runs (NULL, specs, as_children, &error));
  g_assert_no_error (error);
}

static void
test_a_row_is_ready_waiting_or_skipped (void)
{
  static const struct {
    const char *row;
    Placed placed;
  } cases[] = { { INSERTED A "|ready|5", PLACED_READY },
                { INSERTED A "|waiting|5", PLACED_WAITING },
                { INSERTED A "|skipped|5", PLACED_SKIPPED } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GArray) specs = specs_of (A, NULL);
    played_begin ();
    played_answer ("place", cases[i].row);
    place (specs, FALSE);
    g_assert_cmpint (spec_at (specs, 0)->placed, ==, cases[i].placed);
    g_assert_cmpint (spec_at (specs, 0)->placed_due_us, ==, 5);
    g_assert_cmpint (place_any_waiting (specs), ==, cases[i].placed == PLACED_WAITING);
    g_assert_cmpstr (played_asked (), ==, "place place_archived");
  }
}

static void
test_the_same_run_twice_is_placed_once (void)
{
  g_autoptr (GArray) specs = specs_of (A, A);
  played_begin ();
  played_answer ("place", INSERTED A "|ready|5");
  played_answer ("place_lost", LOST "1|t|-");
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_READY);
  g_assert_cmpint (spec_at (specs, 1)->placed, ==, PLACED_KNOWN);
}

static void
test_a_run_that_the_archive_has_is_known (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", INSERTED A "|ready|5");
  played_answer ("place_archived", "run_id\n" A);
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_KNOWN);
}

static void
test_a_holder_that_has_ended_leaves_the_key (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|-");
  played_answer ("place", INSERTED A "|ready|5");
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_READY);
  g_assert_null (spec_at (specs, 0)->error);
  g_assert_null (strstr (played_asked (), "place_supersede"));
}

static void
test_a_holder_that_waits_for_a_retry_makes_place (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|" HOLDER);
  played_answer ("place_holders", HELD HOLDER "|4|t");
  played_answer ("place", INSERTED A "|ready|5");
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_READY);
  g_assert_cmpint (spec_at (specs, 0)->attempts, ==, 4);
  g_assert_nonnull (strstr (played_bound ("place_supersede", "run_id"), HOLDER));
  g_assert_nonnull (strstr (played_bound ("place_supersede", "successor"), A));
}

/* The second meets the first in the next round. */
static void
test_a_holder_makes_place_for_one_run_only (void)
{
  g_autoptr (GArray) specs = specs_of (A, B);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|" HOLDER "\n2|f|" HOLDER);
  played_answer ("place_holders", HELD HOLDER "|4|t");
  played_answer ("place", INSERTED A "|ready|5");
  played_answer ("place_lost", LOST "1|f|" A);
  played_answer ("place_holders", HELD A "|4|f");
  played_answer ("place", INSERTED B "|skipped|5");
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_READY);
  g_assert_cmpint (spec_at (specs, 1)->placed, ==, PLACED_SKIPPED);
  g_assert_cmpint (spec_at (specs, 1)->attempts, ==, 0);
  g_assert_cmpstr (spec_at (specs, 1)->error, ==, "overlaps " A);
}

static void
test_a_holder_that_is_unfinished_is_not_overlapped (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|" HOLDER);
  played_answer ("place_holders", HELD HOLDER "|0|f");
  played_answer ("place", INSERTED A "|skipped|5");
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_SKIPPED);
  g_assert_cmpstr (spec_at (specs, 0)->state, ==, "skipped");
  g_assert_cmpstr (spec_at (specs, 0)->error, ==, "overlaps " HOLDER);
}

/* Locked by whoever is stepping it: place_holders.sql does not return it. */
static void
test_a_holder_that_is_being_stepped_is_met_a_second_later (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|" HOLDER);
  played_answer ("place", INSERTED A "|waiting|1000005");
  place (specs, FALSE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_WAITING);
  g_assert_true (spec_at (specs, 0)->late_key);
  g_assert_cmpint (spec_at (specs, 0)->delay_ms, ==, 1000);
  g_assert_null (spec_at (specs, 0)->error);
}

static void
test_a_child_leaves_its_work_to_an_unfinished_holder (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|" HOLDER);
  played_answer ("place_wait", "run_id\n" HOLDER);
  played_answer ("place", "none");
  place (specs, TRUE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_RUNNING);
  g_assert_null (strstr (played_asked (), "place_holders"));
}

static void
test_a_child_does_the_work_of_a_holder_that_has_ended (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  played_begin ();
  played_answer ("place", "none");
  played_answer ("place_lost", LOST "1|f|" HOLDER);
  played_answer ("place", INSERTED A "|ready|5");
  place (specs, TRUE);
  g_assert_cmpint (spec_at (specs, 0)->placed, ==, PLACED_READY);
}

static void
test_a_key_that_always_changes_hands_is_given_up (void)
{
  g_autoptr (GArray) specs = specs_of (A, NULL);
  g_autoptr (GError) error = NULL;
  played_begin ();
  for (int i = 0; i < 8; i++)
    played_answer ("place_lost", LOST "1|f|-");
  g_assert_false (place_runs (NULL, specs, FALSE, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_BUSY);
}

static void
test_an_outage_is_told (void)
{
  static const char *const asked[] = { "place", "place_archived" };
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++) {
    g_autoptr (GArray) specs = specs_of (A, NULL);
    g_autoptr (GError) error = NULL;
    played_begin ();
    if (i > 0)
      played_answer ("place", INSERTED A "|ready|5");
    played_answer (asked[i], NULL);
    g_assert_false (place_runs (NULL, specs, FALSE, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_test_init (&argc, &argv, NULL);
  Jobs *jobs = jobs_load (JOB_CODE, NULL, &error);
  g_assert_no_error (error);
  ConfigSources sources = { NULL, NULL, jobs_names (jobs), jobs_default, jobs };
  Config *config = config_load (&sources, &error);
  g_assert_no_error (error);
  jobs_configure (jobs, config);
  g_assert_true (in_force_begin (jobs, config, &error));
  in_force_renew ();
  job = jobs_find (jobs, "members.remove_expired");
  g_test_add_func ("/place/states", test_a_row_is_ready_waiting_or_skipped);
  g_test_add_func ("/place/twice", test_the_same_run_twice_is_placed_once);
  g_test_add_func ("/place/archived", test_a_run_that_the_archive_has_is_known);
  g_test_add_func ("/place/ended", test_a_holder_that_has_ended_leaves_the_key);
  g_test_add_func ("/place/retrying", test_a_holder_that_waits_for_a_retry_makes_place);
  g_test_add_func ("/place/one_only", test_a_holder_makes_place_for_one_run_only);
  g_test_add_func ("/place/unfinished", test_a_holder_that_is_unfinished_is_not_overlapped);
  g_test_add_func ("/place/stepped", test_a_holder_that_is_being_stepped_is_met_a_second_later);
  g_test_add_func ("/place/child", test_a_child_leaves_its_work_to_an_unfinished_holder);
  g_test_add_func ("/place/child_ended", test_a_child_does_the_work_of_a_holder_that_has_ended);
  g_test_add_func ("/place/gives_up", test_a_key_that_always_changes_hands_is_given_up);
  g_test_add_func ("/place/outage", test_an_outage_is_told);
  int failed = g_test_run ();
  in_force_end (jobs);
  jobs_free (jobs);
  config_free (config);
  return failed;
}
