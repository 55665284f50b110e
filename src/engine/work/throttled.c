#include "engine/work/throttled.h"

#include "base/clock.h"
#include "engine/service/stats.h"
#include "engine/step/throttle.h"

#define LEAST_MS 5000
#define EACH_MS 50 /* many runs ask less often */
#define MOST_MS 30000
#define WARN_EVERY_S 60

/* NULL: the runs of CLAIM need not wait. */
static char *
reason_of (const Claim *claim, const Job *job, ThrottleReason *reason)
{
  if (claim->runs->len == 0)
    return NULL;
  if (!claim->disputed)
    return throttle_of (job, reason);
  const gint64 ahead_us = ((const Run *)claim->runs->pdata[0])->now_us - clock_now_us ();
  g_autofree char *why
      = g_strdup_printf ("clocks: the database's and this machine's differ by %" G_GINT64_FORMAT
                         " s, and by one of them a pause, a hold or quiet hours have not ended",
                         ABS (ahead_us) / G_USEC_PER_SEC);
  log_warning_every (WARN_EVERY_S, job->name, "Runs wait", why);
  return g_steal_pointer (&why);
}

gboolean
throttled_put_back (Claim *claim, const Job *job, GError **error)
{
  ThrottleReason reason;
  g_autofree char *why = reason_of (claim, job, &reason);
  if (why == NULL)
    return TRUE;
  guint n = claim->runs->len;
  gint64 delay_ms = MIN (LEAST_MS + (gint64)EACH_MS * n, MOST_MS);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", run_ids (claim->runs));
  pg_values_int (values, "delay_ms", delay_ms);
  pg_values_take (values, "error", g_strdup_printf ("throttled: %s", why));
  g_autoptr (PgRows) waiting
      = pg_run_file (claim->transaction.pg, "src/engine/work/sql/throttled.sql", values, error);
  if (waiting == NULL)
    return FALSE;
  if (!claim->disputed)
    stats_add (STATS_THROTTLED, job->name, throttle_words[reason], (double)delay_ms * n / 1000);
  claim->waits += n;
  g_ptr_array_set_size (claim->runs, 0);
  return TRUE;
}
