/* Where cron's next ticks are planted, and what is decided when one is due, by the settings in
 * force. */
#include "engine/clock/schedule_private.h"

#include "base/clock.h"
#include "jobs/jobs.h"
#include "support/jobs.h"
#include "support/played.h"
#include <string.h>

#define JOB "members.remove_expired"
#define NOW "1795257000000000" /* 2026-11-21T10:30:00Z */

static Service service;
static Jobs *jobs; /* in force */

/* The other jobs' schedules are off; LINES are JOB's settings. */
static char *
configuration (const char *lines)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Jobs) all = jobs_load (JOB_CODE, NULL, &error);
  g_assert_no_error (error);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < jobs_count (all); i++) {
    const Job *job = jobs_at (all, i);
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
  g_autofree char *text = configuration (lines);
  jobs = jobs_in_force (text);
  played_begin ();
  played_answer ("now", "now\n" NOW);
}

static void
assert_array_of (const char *name, const char *wanted)
{
  GString *array = array_new ();
  array_add (array, wanted);
  g_autofree char *text = array_take (array);
  g_assert_cmpstr (played_bound ("schedule_plant", name), ==, text);
}

/* The schedule with LINES is planted at WANTED, and known as SCHEDULE; one statement is for all
 * jobs. */
static void
assert_planted (const char *lines, const char *wanted, const char *schedule)
{
  g_autoptr (GError) error = NULL;
  begin (lines);
  g_assert_true (schedule_plant (NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (played_asked (), ==, "now schedule_plant schedule_forget");
  assert_array_of ("job", JOB);
  assert_array_of ("next_at", wanted);
  assert_array_of ("schedule", schedule);
  jobs_in_force_end ();
}

static void
test_the_next_tick_is_after_the_databases_now (void)
{
  assert_planted ("", "2026-11-22T00:10:00.000000Z", "10 0 * * * UTC");
  assert_planted ("schedule = 31 10 * * *", "2026-11-21T10:31:00.000000Z", "31 10 * * * UTC");
  assert_planted ("schedule = 30 10 * * *", "2026-11-22T10:30:00.000000Z", "30 10 * * * UTC");
}

/* In another zone a schedule is a different one: 00:10 in Berlin is 23:10 UTC. */
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
  g_assert_true (schedule_plant (NULL, &error));
  g_assert_null (strstr (played_asked (), "schedule_plant"));
  g_assert_nonnull (strstr (played_asked (), "schedule_forget"));
  jobs_in_force_end ();
}

/* The statement itself decides whether the planted time lies beyond it. */
static void
test_what_a_clock_has_planted_too_late_is_mended (void)
{
  g_autoptr (GError) error = NULL;
  begin ("");
  g_assert_true (schedule_mend (NULL, &error));
  g_assert_cmpstr (played_asked (), ==, "now schedule_mend");
  g_assert_cmpstr (played_bound ("schedule_mend", "next_at"), ==, "{2026-11-22T00:10:00.000000Z}");
  jobs_in_force_end ();
}

static void
test_an_outage_is_told (void)
{
  g_autoptr (GError) error = NULL;
  begin ("");
  played_answer ("schedule_plant", NULL);
  g_assert_false (schedule_plant (NULL, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  jobs_in_force_end ();
}

/* --- what is decided when a tick is due --- */

static gint64
us_of (const char *time)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_iso8601 (time, NULL);
  g_assert_nonnull (when);
  return g_date_time_to_unix (when) * G_USEC_PER_SEC + g_date_time_get_microsecond (when);
}

static char *
time_of (gint64 us)
{
  if (us < 0)
    return g_strdup ("none");
  if (us == G_MAXINT64)
    return g_strdup ("never");
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC);
  return g_date_time_format (when, "%dT%H:%M");
}

static char *
text_of (const ScheduleDecision *decision)
{
  g_autofree char *fire = time_of (decision->fire_us), *next = time_of (decision->next_us);
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "fire %s, next %s, missed", fire, next);
  for (guint i = 0; i < decision->missed->len; i++) {
    g_autofree char *missed = time_of (g_array_index (decision->missed, gint64, i));
    g_string_append_printf (text, " %s", missed);
  }
  g_string_append (text, decision->in_turn ? ", in turn" : "");
  return g_string_free (g_string_append (text, decision->waits ? ", waits" : ""), FALSE);
}

/* JOB with LINES has been due since SINCE. All times are in November 2026. */
static void
decide_at (const char *lines, const char *since, const char *now, gboolean running,
           ScheduleDecision *decision)
{
  begin (lines);
  service.keep_us = G_TIME_SPAN_DAY;
  schedule_decide (&service, jobs_find (jobs, JOB), us_of (since), us_of (now), running, decision);
  jobs_in_force_end ();
}

/* WANTED: the day of the month and the time of what is fired, planted and missed. */
static void
assert_decided (const char *lines, const char *since, const char *now, gboolean running,
                const char *wanted)
{
  ScheduleDecision decision;
  decide_at (lines, since, now, running, &decision);
  g_autofree char *got = text_of (&decision);
  g_assert_cmpstr (got, ==, wanted);
  g_array_unref (decision.missed);
}

#define AT_8 "2026-11-21T08:00:00Z"
#define HOURLY "schedule = 0 * * * *\n"
#define LAST HOURLY "catch_up = last"
#define NONE HOURLY "catch_up = none"
#define ALL HOURLY "catch_up = all"

static void
test_a_tick_that_is_due_is_fired (void)
{
  assert_decided (HOURLY, AT_8, AT_8, FALSE, "fire 21T08:00, next 21T09:00, missed");
  assert_decided (LAST, AT_8, "2026-11-21T08:00:59Z", TRUE, "fire 21T08:00, next 21T09:00, missed");
  assert_decided (NONE, AT_8, AT_8, TRUE, "fire 21T08:00, next 21T09:00, missed");
}

static void
test_of_missed_ticks_the_latest_is_fired (void)
{
  assert_decided (LAST, AT_8, "2026-11-21T10:59:59Z", FALSE,
                  "fire 21T10:00, next 21T11:00, missed 21T08:00 21T09:00");
  assert_decided (LAST, AT_8, "2026-11-21T11:00:00Z", FALSE,
                  "fire 21T11:00, next 21T12:00, missed 21T08:00 21T09:00 21T10:00");
}

/* More than a minute late is missed. */
static void
test_with_none_a_late_tick_is_only_recorded (void)
{
  assert_decided (NONE, AT_8, "2026-11-21T08:00:59.999999Z", FALSE,
                  "fire 21T08:00, next 21T09:00, missed");
  assert_decided (NONE, AT_8, "2026-11-21T08:01:00Z", FALSE,
                  "fire none, next 21T09:00, missed 21T08:00");
  assert_decided (NONE, AT_8, "2026-11-21T10:30:00Z", FALSE,
                  "fire none, next 21T11:00, missed 21T08:00 21T09:00 21T10:00");
  assert_decided (NONE, AT_8, "2026-11-21T10:00:30Z", FALSE,
                  "fire 21T10:00, next 21T11:00, missed 21T08:00 21T09:00");
}

static void
test_with_all_one_is_fired_after_the_other (void)
{
  assert_decided (ALL, AT_8, "2026-11-21T10:30:00Z", FALSE,
                  "fire 21T08:00, next 21T09:00, missed, in turn");
  assert_decided (ALL, AT_8, "2026-11-21T10:30:00Z", TRUE,
                  "fire 21T08:00, next 21T09:00, missed, in turn, waits");
}

/* The ledger keeps a day: what is older would be refused as a message. */
static void
test_ticks_older_than_the_ledger_keeps_are_only_recorded (void)
{
  const char *now = "2026-11-22T10:30:00Z";
  assert_decided (ALL, AT_8, now, FALSE,
                  "fire 21T11:00, next 21T12:00, missed 21T08:00 21T09:00 21T10:00, in turn");
  assert_decided (ALL, "2026-11-21T10:30:00Z", now, FALSE,
                  "fire 21T10:30, next 21T11:00, missed, in turn");
  assert_decided ("schedule = 0 8 21,24 * *", AT_8, now, FALSE,
                  "fire none, next 24T08:00, missed 21T08:00");
}

static void
test_of_very_many_the_youngest_thousand_are_recorded (void)
{
  ScheduleDecision decision;
  decide_at ("schedule = * * * * *", AT_8, "2026-11-22T07:00:00Z", FALSE, &decision);
  g_assert_cmpuint (decision.missed->len, ==, 1000);
  g_assert_cmpint (decision.fire_us, ==, us_of ("2026-11-22T07:00:00Z"));
  for (int i = 0; i < 1000; i++)
    g_assert_cmpint (g_array_index (decision.missed, gint64, i), ==,
                     decision.fire_us - (1000 - i) * G_TIME_SPAN_MINUTE);
  g_array_unref (decision.missed);
}

static void
test_a_schedule_without_a_next_time_fires_its_last_tick (void)
{
  const char *never = "schedule = 0 0 30 2 *";
  g_autofree char *all = g_strconcat (never, "\ncatch_up = all", NULL);
  assert_decided (never, AT_8, AT_8, FALSE, "fire 21T08:00, next never, missed");
  assert_decided (all, AT_8, AT_8, FALSE, "fire 21T08:00, next never, missed, in turn");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plant/next", test_the_next_tick_is_after_the_databases_now);
  g_test_add_func ("/plant/zone", test_a_zone_belongs_to_the_schedule);
  g_test_add_func ("/plant/never", test_a_schedule_that_never_fires_is_planted_at_infinity);
  g_test_add_func ("/plant/off", test_a_schedule_that_is_off_is_forgotten);
  g_test_add_func ("/plant/mended", test_what_a_clock_has_planted_too_late_is_mended);
  g_test_add_func ("/plant/outage", test_an_outage_is_told);
  g_test_add_func ("/decide/due", test_a_tick_that_is_due_is_fired);
  g_test_add_func ("/decide/last", test_of_missed_ticks_the_latest_is_fired);
  g_test_add_func ("/decide/none", test_with_none_a_late_tick_is_only_recorded);
  g_test_add_func ("/decide/all", test_with_all_one_is_fired_after_the_other);
  g_test_add_func ("/decide/old", test_ticks_older_than_the_ledger_keeps_are_only_recorded);
  g_test_add_func ("/decide/many", test_of_very_many_the_youngest_thousand_are_recorded);
  g_test_add_func ("/decide/never", test_a_schedule_without_a_next_time_fires_its_last_tick);
  return config_test_run ();
}
