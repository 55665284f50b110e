/* Which runs are held once they are counted, by PostgreSQL's answers: docs/jobs/README.md. */
#include "engine/brakes/judge.h"

#include "support/jobs.h"
#include "support/played.h"

#define JOB "members.remove_expired"
#define RUN "7fecac87-579a-560b-ad38-6378e9e225c0"

/* Those that are not set otherwise. */
#define NO_LIMITS                                                                                  \
  "[jobs." JOB "]\nmax_rows = off\nmax_share = off\nmax_rows_per_day = off\nmax_ratio = off\n"

typedef struct {
  const char *settings;
  gint64 table_rows, ended, usual, went; /* as PostgreSQL answers */
  RunCount count;
  const char *error; /* NULL: it goes on */
} Case;

static void
answer (const Case *one)
{
  g_autofree char *table = g_strdup_printf ("estimate|sql\n%d|-", (int)one->table_rows);
  g_autofree char *usual = g_strdup_printf ("n|usual\n%d|%d", (int)one->ended, (int)one->usual);
  g_autofree char *day = g_strdup_printf ("rows\n%d", (int)one->went);
  played_begin ();
  played_answer ("table_rows", table);
  played_answer ("usual", usual);
  played_answer ("day", day);
}

/* RUN is as its row has it. */
static void
judge (const Case *one, Run *run, BrakeFinding *finding)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat (NO_LIMITS, one->settings, NULL);
  const Job *job = jobs_find (jobs_in_force (text), JOB);
  run->run_id = (char *)RUN;
  run->job = job;
  Step step = { .job = job, .run = run };
  answer (one);
  g_assert_true (brake_judge (&step, &one->count, finding, &error));
  g_assert_no_error (error);
  jobs_in_force_end ();
}

static void
test_limits (void)
{
  static const Case cases[] = {
    { "max_rows = 20\n", .count = { .rows = 20 }, .error = NULL },
    { "max_rows = 20\n", .count = { .rows = 30 }, .error = "held: 30 rows are above max_rows 20" },
    /* rows of other tables are rows of the run, and no share of the job's own */
    { "max_rows = 20\n", .count = { .rows = 30, .below = 25 },
      .error = "held: 30 rows are above max_rows 20" },
    { "max_share = 20 %\n", 57482, .count = { .rows = 51734 },
      .error = "held: 51,734 rows are 90.0 % of members, above max_share 20 %" },
    { "max_share = 20 %\n", 10000, .count = { .rows = 2000 }, .error = NULL },
    { "max_share = 20 %\n", 10000, .count = { .rows = 2001 },
      .error = "held: 2,001 rows are 20.01 % of members, above max_share 20 %" },
    { "max_share = 20 %\n", 10000, .count = { .rows = 9000, .below = 7000 }, .error = NULL },
    /* a small installation may lose half of its members in a night */
    { "max_share = 20 %\n", 1000, .count = { .rows = 999 }, .error = NULL },
    { "max_share = 20 %\nmin_rows = 0\n", 1000, .count = { .rows = 201 },
      .error = "held: 201 rows are 20.1 % of members, above max_share 20 %" },
    /* the usual is known once there are five */
    { "max_ratio = 2\nmin_rows = 0\n", 0, 5, 10, .count = { .rows = 21 },
      .error = "held: 21 rows are 2.1 times the usual 10, above max_ratio 2" },
    { "max_ratio = 2\nmin_rows = 0\n", 0, 5, 10, .count = { .rows = 20 }, .error = NULL },
    { "max_ratio = 2\nmin_rows = 0\n", 0, 4, 10, .count = { .rows = 1000 }, .error = NULL },
    { "max_ratio = 2\nmin_rows = 0\n", 0, 14, 0, .count = { .rows = 2 }, .error = NULL },
    { "max_ratio = 2\nmin_rows = 0\n", 0, 14, 0, .count = { .rows = 3 },
      .error = "held: 3 rows are 3.0 times the usual 1, above max_ratio 2" },
    { "max_ratio = 2\n", 0, 14, 10, .count = { .rows = 999 }, .error = NULL },
    { "max_rows_per_day = 600\n", 0, 0, 0, 540, .count = { .rows = 60 }, .error = NULL },
    { "max_rows_per_day = 600\n", 0, 0, 0, 540, .count = { .rows = 100 },
      .error = "held: 100 rows after 540 today are above max_rows_per_day 600" },
    { "max_rows_per_day = 600\n", 0, 0, 0, 700, .count = { .rows = 1 },
      .error = "held: 1 row after 700 today is above max_rows_per_day 600" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (BrakeFinding) finding = { 0 };
    g_test_message ("%u: %s", i, cases[i].settings);
    judge (&cases[i], &(Run){ 0 }, &finding);
    g_assert_cmpstr (finding.error, ==, cases[i].error);
    g_assert_true ((finding.limit != NULL) == (cases[i].error != NULL));
    g_assert_false (finding.approved);
  }
}

static void
test_a_count_without_an_end_exceeds_any_limit (void)
{
  static const Case unknown = { "max_rows = 20\n", .count = { .rows = 3, .unknown = TRUE } },
                    off = { "", .count = { .rows = 3, .unknown = TRUE } };
  g_auto (BrakeFinding) held = { 0 }, free = { 0 };
  judge (&unknown, &(Run){ 0 }, &held);
  g_assert_cmpstr (held.limit, ==, "max_rows");
  g_assert_cmpstr (held.error, ==, "held: 3 rows or more are above max_rows 20");
  judge (&off, &(Run){ 0 }, &free);
  g_assert_null (free.limit);
}

/* A run in portions whose count is an estimate: the limit is twice as near. */
static void
test_an_estimate_is_no_promise_for_portions (void)
{
  static const char held[]
      = "held: 51 rows or more are above max_rows 100; there was no time to count all, and a run "
        "in portions is not to stop with a part of the rows below a row gone";
  static const Case cases[] = {
    { "max_rows = 100\n", .count = { .rows = 51, .estimated = TRUE, .whole = TRUE },
      .error = held },
    { "max_rows = 100\n", .count = { .rows = 50, .estimated = TRUE, .whole = TRUE } },
    { "max_rows = 100\n", .count = { .rows = 100, .whole = TRUE } },
    { "max_rows = 100\n", .count = { .rows = 100, .estimated = TRUE } },
    { "max_rows = 100\n", .count = { .rows = 101, .estimated = TRUE, .whole = TRUE },
      .error = "held: 101 rows are above max_rows 100" },
    { "", .count = { .rows = 1000000, .estimated = TRUE, .whole = TRUE } },
    { "max_rows_per_day = 600\n", 0, 0, 0, 500,
      .count = { .rows = 50, .estimated = TRUE, .whole = TRUE } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (BrakeFinding) finding = { 0 };
    g_test_message ("%u: %s", i, cases[i].settings);
    judge (&cases[i], &(Run){ 0 }, &finding);
    g_assert_cmpstr (finding.error, ==, cases[i].error);
  }
}

/* For the rows that are approved, as long as it holds. */
static void
test_an_approval_lets_a_run_go (void)
{
  static const struct {
    gint64 until_us, rows, counted;
    gboolean goes;
  } cases[] = { { 11, 100, 100, TRUE }, { 11, 100, 101, FALSE }, { 10, 100, 100, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case one = { "max_rows = 20\n", .count = { .rows = cases[i].counted } };
    Run run
        = { .now_us = 10, .approved_until_us = cases[i].until_us, .approved_rows = cases[i].rows };
    g_auto (BrakeFinding) finding = { 0 };
    judge (&one, &run, &finding);
    g_assert_cmpint (finding.approved, ==, cases[i].goes);
    g_assert_cmpstr (finding.limit, ==, cases[i].goes ? NULL : "max_rows");
  }
}

/* Those that no limit holds. KNOWN: the job's version was approved before. */
static void
test_runs_that_somebody_looks_at_first (void)
{
  static const struct {
    const char *settings;
    gboolean known;
    gint64 rows;
    const char *limit;
  } cases[] = {
    { "approve = above\n", FALSE, 10, NULL },
    { "approve = first\n", FALSE, 10, "approve" },
    { "approve = first\n", TRUE, 10, NULL },
    { "approve = first\n", FALSE, 0, NULL },
    { "approve = always\n", TRUE, 10, "approve" },
    { "approve = always\n", FALSE, 0, NULL },
    { "approve = always\nmax_rows = 5\n", FALSE, 10, "max_rows" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat (NO_LIMITS, cases[i].settings, NULL);
    g_autoptr (GError) error = NULL;
    g_auto (BrakeFinding) finding = { 0 };
    const Job *job = jobs_find (jobs_in_force (text), JOB);
    Run run = { .run_id = (char *)RUN, .job = job };
    Step step = { .job = job, .run = &run };
    played_begin ();
    played_answer ("version_known", cases[i].known ? "known\nt" : "known");
    g_assert_true (brake_judge (&step, &(RunCount){ .rows = cases[i].rows }, &finding, &error));
    g_assert_cmpstr (finding.limit, ==, cases[i].limit);
    jobs_in_force_end ();
  }
}

static void
test_an_outage_holds_nothing (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (BrakeFinding) finding = { 0 };
  const Job *job = jobs_find (jobs_in_force (NO_LIMITS "max_ratio = 2\n"), JOB);
  Run run = { .run_id = (char *)RUN, .job = job };
  Step step = { .job = job, .run = &run };
  played_begin ();
  played_answer ("usual", NULL);
  g_assert_false (brake_judge (&step, &(RunCount){ .rows = 9 }, &finding, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  g_assert_null (finding.limit);
  jobs_in_force_end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/judge/limits", test_limits);
  g_test_add_func ("/judge/unknown", test_a_count_without_an_end_exceeds_any_limit);
  g_test_add_func ("/judge/estimate", test_an_estimate_is_no_promise_for_portions);
  g_test_add_func ("/judge/approved", test_an_approval_lets_a_run_go);
  g_test_add_func ("/judge/approve", test_runs_that_somebody_looks_at_first);
  g_test_add_func ("/judge/outage", test_an_outage_holds_nothing);
  return config_test_run ();
}
