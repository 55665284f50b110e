/* How long a job waits for what works on its tables, and how long a standby is behind. */
#include "engine/step/throttle.h"

#include "support/jobs.h"
#include "support/played.h"

#include <stdatomic.h>

#define JOB "members.remove_expired"
#define COLUMNS "setting|job|name|value\n"
#define VACUUM "maintenance|" JOB "|table members|1"
#define WAITERS "lock_waiters|" JOB "|tables members|3"
#define LOOK_US (3 * G_USEC_PER_SEC)
#define MINUTE_US G_TIME_SPAN_MINUTE

static Jobs *jobs;
static ThrottleEye *eye;

static void
begin (void)
{
  jobs = jobs_in_force ("[throttle]\nlock_waiters = 1\nstandby_lag_s = 30\n");
  played_begin ();
  eye = throttle_eye_new (jobs);
}

static void
look (const char *rows)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *answer = g_strconcat (COLUMNS, rows, NULL);
  played_later (LOOK_US);
  played_answer ("throttle", answer);
  g_assert_true (throttle_beat (eye, NULL, &error));
  g_assert_no_error (error);
}

static gboolean
waits (const char *job)
{
  ThrottleReason reason;
  g_autofree char *why = throttle_of (jobs_find (jobs, job), &reason);
  g_assert_true (why == NULL || reason == THROTTLE_LOCK_WAITERS);
  return why != NULL;
}

static void
end (void)
{
  look ("old_transaction_s|-|nobody|0"); /* nothing is passed */
  g_assert_false (waits (JOB));
  throttle_eye_free (eye);
  jobs_in_force_end ();
}

static gpointer
begin_a_run (gpointer begun)
{
  atomic_store ((atomic_int *)begun, TRUE);
  return GINT_TO_POINTER (waits (JOB));
}

/* The first of all: a process has one first look. */
static void
test_a_run_waits_for_the_first_look (void)
{
  begin ();
  atomic_int begun = FALSE;
  GThread *worker = g_thread_new ("worker", begin_a_run, &begun);
  while (!atomic_load (&begun))
    g_thread_yield ();
  look (WAITERS);
  g_assert_true (GPOINTER_TO_INT (g_thread_join (worker)));
  end ();
}

static void
test_a_vacuum_counts_for_ten_minutes (void)
{
  begin ();
  look (VACUUM);
  g_assert_true (waits (JOB));
  g_assert_false (waits ("users.destroy"));
  played_later (9 * MINUTE_US);
  look (VACUUM);
  g_assert_true (waits (JOB));
  played_later (MINUTE_US);
  look (VACUUM);
  g_assert_false (waits (JOB));
  end ();
}

static void
test_the_next_one_counts_again (void)
{
  begin ();
  look (VACUUM);
  played_later (11 * MINUTE_US);
  look (VACUUM);
  g_assert_false (waits (JOB));
  look (WAITERS);
  look (VACUUM);
  g_assert_true (waits (JOB));
  end ();
}

static void
test_sessions_that_wait_count_as_long_as_they_do (void)
{
  begin ();
  look (VACUUM);
  played_later (60 * MINUTE_US);
  look (VACUUM "\n" WAITERS);
  g_assert_true (waits (JOB));
  end ();
}

/* --- a standby; the server says that it is MEASURED seconds behind --- */

static gboolean
waits_for_standby (const char *measured, int written, int replayed)
{
  g_autofree char *behind = replayed < written
                                ? g_strdup_printf ("replayed|-|standby a|%d\n", replayed)
                                : g_strdup ("");
  g_autofree char *rows = g_strdup_printf ("standby_lag_s|-|standby a|%s\n%swal|-|the server|%d",
                                           measured, behind, written);
  look (rows);
  ThrottleReason reason;
  g_autofree char *why = throttle_of (jobs_find (jobs, JOB), &reason);
  g_assert_true (why == NULL || reason == THROTTLE_STANDBY_LAG);
  return why != NULL;
}

static void
test_the_seconds_of_a_standby_that_replays_nothing_grow (void)
{
  begin ();
  g_assert_false (waits_for_standby ("0", 500, 400));
  played_later (24 * G_USEC_PER_SEC);
  g_assert_false (waits_for_standby ("0", 500, 400)); /* a look takes 3 s: 27 s */
  g_assert_true (waits_for_standby ("0", 600, 400));
  g_assert_true (waits_for_standby ("0", 600, 499));
  g_assert_false (waits_for_standby ("0", 600, 500));
  played_later (30 * G_USEC_PER_SEC);
  g_assert_true (waits_for_standby ("0", 600, 500));
  g_assert_false (waits_for_standby ("0", 600, 600));
  end ();
}

static void
test_a_standby_that_has_replayed_all_is_not_behind (void)
{
  begin ();
  g_assert_false (waits_for_standby ("0", 500, 400));
  g_assert_false (waits_for_standby ("0", 500, 500));
  played_later (60 * MINUTE_US);
  g_assert_false (waits_for_standby ("0", 500, 500));
  g_assert_false (waits_for_standby ("0", 600, 500));
  g_assert_true (waits_for_standby ("30", 600, 550));
  end ();
}

static void
test_a_standby_that_follows_is_as_late_as_the_server_says (void)
{
  begin ();
  for (int i = 1; i < 20; i++)
    g_assert_false (waits_for_standby ("6", 100 + i, 98 + i));
  g_assert_true (waits_for_standby ("40", 200, 198));
  end ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/throttle/first", test_a_run_waits_for_the_first_look);
  g_test_add_func ("/throttle/vacuum", test_a_vacuum_counts_for_ten_minutes);
  g_test_add_func ("/throttle/next", test_the_next_one_counts_again);
  g_test_add_func ("/throttle/waiters", test_sessions_that_wait_count_as_long_as_they_do);
  g_test_add_func ("/throttle/standby", test_the_seconds_of_a_standby_that_replays_nothing_grow);
  g_test_add_func ("/throttle/caught up", test_a_standby_that_has_replayed_all_is_not_behind);
  g_test_add_func ("/throttle/following",
                   test_a_standby_that_follows_is_as_late_as_the_server_says);
  return config_test_run ();
}
