/* Where cron's next ticks are planted, by the settings in force. */
#include "engine/clock/schedule.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "jobs/jobs.h"
#include "support/config_file.h"
#include "support/played.h"
#include <string.h>

#define JOB "members.remove_expired"
#define NOW "1795257000000000" /* 2026-11-21T10:30:00Z */

static Service service;
static Config *config;

/* The other jobs' schedules are off; LINES are JOB's settings. */
static char *
configuration (const char *lines)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < jobs_count (service.jobs); i++) {
    const Job *job = jobs_at (service.jobs, i);
    if (g_str_equal (job->name, JOB))
      g_string_append_printf (text, "[jobs.%s]\n%s\n", job->name, lines);
    else if (job->by_tick)
      g_string_append_printf (text, "[jobs.%s]\nschedule = off\n", job->name);
  }
  return g_string_free (text, FALSE);
}

static void
begin (const char *lines)
{
  g_autoptr (GError) error = NULL;
  service.jobs = jobs_load (JOB_CODE, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *text = configuration (lines);
  g_assert_true (g_file_set_contents (config_file, text, -1, NULL));
  ConfigSources sources
      = { config_file, NULL, jobs_names (service.jobs), jobs_default, service.jobs };
  config = config_load (&sources, &error);
  g_assert_no_error (error);
  g_assert_true (jobs_configure (service.jobs, config, &error));
  g_assert_no_error (error);
  in_force_renew ();
  played_begin ();
  played_answer ("now", "now\n" NOW);
}

static void
end (void)
{
  in_force_end (service.jobs);
  g_clear_pointer (&service.jobs, jobs_free);
  g_clear_pointer (&config, config_free);
}

/* The schedule with LINES is planted at WANTED, and known as SCHEDULE. */
static void
assert_planted (const char *lines, const char *wanted, const char *schedule)
{
  g_autoptr (GError) error = NULL;
  begin (lines);
  g_assert_true (schedule_plant (&service, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (played_bound ("schedule_plant", "job"), ==, JOB);
  g_assert_cmpstr (played_bound ("schedule_plant", "next_at"), ==, wanted);
  g_assert_cmpstr (played_bound ("schedule_plant", "schedule"), ==, schedule);
  end ();
}

static void
test_the_next_tick_is_after_the_databases_now (void)
{
  assert_planted ("", "2026-11-22T00:10:00.000000Z", "10 0 * * * UTC");
  assert_planted ("schedule = 31 10 * * *", "2026-11-21T10:31:00.000000Z", "31 10 * * * UTC");
  assert_planted ("schedule = 30 10 * * *", "2026-11-22T10:30:00.000000Z", "30 10 * * * UTC");
}

/* A schedule is another one in another zone: 00:10 in Berlin is 23:10 UTC. */
static void
test_a_zone_belongs_to_the_schedule (void)
{
  assert_planted ("time_zone = Europe/Berlin", "2026-11-21T23:10:00.000000Z",
                  "10 0 * * * Europe/Berlin");
}

static void
test_a_schedule_that_never_fires_is_planted_at_infinity (void)
{
  assert_planted ("schedule = 0 0 30 2 *", "infinity", "0 0 30 2 * UTC");
}

static void
test_a_schedule_that_is_off_is_forgotten (void)
{
  g_autoptr (GError) error = NULL;
  begin ("schedule = off");
  g_assert_true (schedule_plant (&service, NULL, &error));
  g_assert_null (strstr (played_asked (), "schedule_plant"));
  g_assert_nonnull (strstr (played_asked (), "schedule_forget"));
  end ();
}

/* The statement itself decides whether the planted time lies beyond it. */
static void
test_what_a_clock_has_planted_too_late_is_mended (void)
{
  g_autoptr (GError) error = NULL;
  begin ("");
  g_assert_true (schedule_mend (&service, NULL, &error));
  g_assert_cmpstr (played_asked (), ==, "now schedule_mend");
  g_assert_cmpstr (played_bound ("schedule_mend", "next_at"), ==, "2026-11-22T00:10:00.000000Z");
  end ();
}

static void
test_an_outage_is_told (void)
{
  g_autoptr (GError) error = NULL;
  begin ("");
  played_answer ("schedule_plant", NULL);
  g_assert_false (schedule_plant (&service, NULL, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/planting/next", test_the_next_tick_is_after_the_databases_now);
  g_test_add_func ("/planting/zone", test_a_zone_belongs_to_the_schedule);
  g_test_add_func ("/planting/never", test_a_schedule_that_never_fires_is_planted_at_infinity);
  g_test_add_func ("/planting/off", test_a_schedule_that_is_off_is_forgotten);
  g_test_add_func ("/planting/mended", test_what_a_clock_has_planted_too_late_is_mended);
  g_test_add_func ("/planting/outage", test_an_outage_is_told);
  return config_test_run ();
}
