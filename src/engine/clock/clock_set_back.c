#include "engine/clock/clock_set_back.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/job/in_force.h"

#define SQL "src/engine/clock/sql/"
#define SLACK_US G_USEC_PER_SEC
/* A jump forth and back can fall between two looks, and a transaction can span it. */
#define MEND_EVERY_US (15 * G_USEC_PER_SEC)
#define MEND_SHARE 200 /* it reads all waiting runs: at most 1/200 of the time */
#define MEND_AT_LEAST_US (10 * G_TIME_SPAN_MINUTE)

/* The longest configured delay of a refresh. */
static gint64
longest_ms (const Service *service, const char *key)
{
  gint64 longest = 0;
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++)
    longest = MAX (longest,
                   config_job_int (in_force_config (), jobs_at (in_force_jobs (), i)->name, key));
  return longest;
}

static gboolean
mend (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "refresh_ms", longest_ms (service, "refresh_delay_ms"));
  pg_values_int (values, "todos_ms", longest_ms (service, "todos_delay_ms"));
  FAULT ("clock_set_back.before_mend");
  g_autoptr (PgRows) rows = pg_run_alone (pg, SQL "clock_set_back.sql", values, error);
  FAULT ("clock_set_back.after_mend");
  if (rows == NULL)
    return FALSE;
  gint64 n = rows_int (rows, 0, "n");
  if (n > 0) {
    g_autofree char *count = g_strdup_printf ("%" G_GINT64_FORMAT, n);
    log_warning ("The database's clock was ahead; times it wrote are set back", "times", count);
  }
  return TRUE;
}

/* *BACK: the clock shows less than at the last look plus the time since. Also stores
 * `database_ahead_us`. */
static gboolean
compare (Service *service, Pg *pg, gboolean *back, GError **error)
{
  static gint64 known_us, known_after_us; /* of the one housekeeping thread: what the clock showed,
                                             and a monotonic time not before that */
  gint64 before_us = clock_monotonic_us (), now_us;
  if (!pg_now_us (pg, &now_us, error))
    return FALSE;
  atomic_store (&service->shared.database_ahead_us, now_us - clock_now_us ());
  *back = known_us != 0 && now_us - known_us < before_us - known_after_us - SLACK_US;
  known_us = now_us;
  known_after_us = clock_monotonic_us ();
  return TRUE;
}

gboolean
clock_set_back_look (Service *service, Pg *pg, GError **error)
{
  static gint64 next_us; /* of the one housekeeping thread */
  gboolean back;
  service->housekeeping.compared = FALSE;
  if (!compare (service, pg, &back, error))
    return FALSE;
  service->housekeeping.compared = TRUE;
  gint64 before_us = clock_monotonic_us ();
  if (back)
    next_us = before_us;
  if (before_us < next_us)
    return TRUE;
  if (!mend (service, pg, error))
    return FALSE;
  gint64 after_us = clock_monotonic_us ();
  next_us = after_us + CLAMP (MEND_SHARE * (after_us - before_us), MEND_EVERY_US, MEND_AT_LEAST_US);
  return TRUE;
}
