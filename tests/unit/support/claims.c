#include "support/claims.h"

#include "base/clock.h"
#include "engine/step/throttle.h"

#define COLUMNS                                                                                     \
  "run_id|job_version|step|attempts|slot|args|scheduled_at|due_at|now|first|started_at|range_goes|" \
  "rows_done|rows_counted|rows_limit|approved_until|approved_rows|paused|holds|disputed"
#define ANY_SKEW_US (3650 * G_TIME_SPAN_DAY)
#define LOOK_US (3 * G_USEC_PER_SEC)
#define NOTHING "old_transaction_s|-|nobody|0"

static ClaimScene scene;
static ThrottleEye *eye;
static GArray *works;
static GString *rows; /* of the fence */

/* Housekeeping looks at the server. */
static void
look (const char *passed)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *found = g_strconcat ("setting|job|name|value\n", passed, NULL);
  played_begin ();
  played_later (LOOK_US);
  played_answer ("throttle", found);
  g_assert_true (throttle_beat (eye, NULL, &error));
  g_assert_no_error (error);
}

ClaimScene *
claims_begin (const char *settings, const char *passed)
{
  g_autofree char *text
      = g_strconcat ("[throttle]\nlock_waiters = 1\n[jobs." CLAIMS_JOB "]\n", settings, NULL);
  const Jobs *jobs = jobs_in_force (text);
  scene.job = *jobs_find (jobs, CLAIMS_JOB);
  scene.service = (Service){ .lanes = lanes_new (jobs_numbers (jobs)),
                             .publisher = publisher_new (NULL, "p"),
                             .prefix = "p",
                             .max_skew_us = ANY_SKEW_US };
  scene.disputed = FALSE;
  scene.lane = lanes_with (scene.service.lanes, "p.work." CLAIMS_JOB, 0, &scene.job);
  eye = throttle_eye_new (jobs);
  works = works_new ();
  rows = g_string_new (COLUMNS);
  look (passed != NULL ? passed : NOTHING);
  played_begin ();
  return &scene;
}

void
claims_end (void)
{
  look (NOTHING); /* what it has found names the job */
  throttle_eye_free (eye);
  lanes_free (scene.service.lanes);
  publisher_free (scene.service.publisher);
  g_array_unref (works);
  g_string_free (rows, TRUE);
  jobs_in_force_end ();
}

void
claims_message (const char *run_id, int step, int attempt)
{
  const Work work = { g_strdup (run_id), step, attempt };
  g_array_append_val (works, work);
}

static gint64
time_of (const char *text)
{
  gint64 us = 0;
  g_assert_true (clock_parse (text, &us, NULL));
  return us;
}

void
claims_row (const char *run_id, const char *version, const char *at, const char *now,
            gboolean paused)
{
  g_string_append_printf (
      rows,
      "\n%s|%s|3|0|0|{}|%" G_GINT64_FORMAT "|0|%" G_GINT64_FORMAT "|f|-|f|0|-1|-1|-|-|%s|f|%s",
      run_id, version, time_of (at), time_of (now), paused ? "t" : "f", scene.disputed ? "t" : "f");
}

void
claims_run (const char *run_id)
{
  claims_message (run_id, 3, 0);
  claims_row (run_id, "-", CLAIMS_NOON, CLAIMS_NOON, FALSE);
}

gboolean
claims_lane (Claim *claim, GError **error)
{
  played_answer ("fence", rows->str);
  return claim_runs (claim, &scene.service, played_pg (), &scene.job, scene.lane, works, error);
}

gboolean
claims_settle (Claim *claim, GError **error)
{
  played_answer ("fence", rows->str);
  return claim_runs (claim, &scene.service, played_pg (), &scene.job, NULL, works, error);
}

void
claims_are (guint claimed, guint waits, guint locked, const char *asked)
{
  g_autoptr (GError) error = NULL;
  g_auto (Claim) claim = { 0 };
  g_assert_true (claims_lane (&claim, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (claim.runs->len, ==, claimed);
  g_assert_cmpuint (claim.waits, ==, waits);
  g_assert_cmpuint (g_hash_table_size (claim.locked), ==, locked);
  g_assert_false (claim.settles);
  g_assert_cmpstr (played_asked (), ==, asked);
  g_assert_cmpint (scene.lane->list.run_id[0] != '\0', ==, claimed > 0);
}
