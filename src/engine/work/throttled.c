#include "engine/work/throttled.h"

#include "engine/service/stats.h"
#include "engine/step/throttle.h"

#define LEAST_MS 5000
#define EACH_MS 50 /* many runs ask less often */
#define MOST_MS 30000

gboolean
throttled_put_back (Claim *claim, const Job *job, GError **error)
{
  ThrottleReason reason;
  g_autofree char *why = claim->runs->len > 0 ? throttle_of (job, &reason) : NULL;
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
  stats_add (STATS_THROTTLED, job->name, throttle_words[reason], (double)delay_ms * n / 1000);
  claim->waits += n;
  g_ptr_array_set_size (claim->runs, 0);
  return TRUE;
}
