#include "engine/clock/clocks.h"

#include "base/clock.h"
#include "engine/clock/broker_clock.h"

#define WARN_EVERY_S 60

/* The database's time, but at most this machine's plus `max_skew_us`. A tick fired at a time that
 * only the database's clock has reached would remove what is not over; and ticks recorded as missed
 * up to that time could never run when they are due. */
static gint64
bound_by_machine (const Service *service, gint64 database_us)
{
  gint64 ours_us = clock_now_us () + service->max_skew_us;
  if (database_us <= ours_us)
    return database_us;
  g_autofree char *ahead = g_strdup_printf (
      "%.1f s", (double)(database_us - ours_us + service->max_skew_us) / G_USEC_PER_SEC);
  log_warning_every (WARN_EVERY_S, "clocks",
                     "Ticks of cron wait: the database's clock is ahead of this machine's", ahead);
  return ours_us;
}

/* Bounds *NOW_US by the broker's clock in the same way. If its time is not known, the other two
 * decide. */
static gboolean
broker_agrees (Service *service, gint64 next_us, gint64 *now_us, gboolean *asked)
{
  /* An old answer holds no tick back, because this machine may have slept since: then ask again. */
  for (int anew = FALSE; anew <= TRUE; anew++) {
    gint64 broker_us;
    if (!broker_clock_now (service->dispatcher.broker_clock, anew, &broker_us)) {
      *asked = TRUE;
      return FALSE;
    }
    if (broker_us < 0 || broker_us + service->max_skew_us >= *now_us)
      return TRUE;
    if (anew || broker_us + service->max_skew_us >= next_us) {
      g_autofree char *ahead
          = g_strdup_printf ("%.1f s", (double)(*now_us - broker_us) / G_USEC_PER_SEC);
      log_warning_every (
          WARN_EVERY_S, "broker's clock",
          "Ticks of cron wait: this machine's clock and the database's are ahead of Kafka's",
          ahead);
      *now_us = broker_us + service->max_skew_us;
      return next_us <= *now_us;
    }
  }
  return FALSE;
}

gboolean
clocks_reached (Service *service, gint64 next_us, gint64 *now_us, gboolean *asked)
{
  *now_us = bound_by_machine (service, *now_us);
  return next_us <= *now_us && broker_agrees (service, next_us, now_us, asked);
}

gboolean
clocks_agree (const Service *service, gint64 most_us, const char *otherwise)
{
  gint64 ahead_us = atomic_load (&service->shared.database_ahead_us);
  if (ABS (ahead_us) < most_us)
    return TRUE;
  g_autofree char *seconds = g_strdup_printf ("%" G_GINT64_FORMAT " s", ahead_us / G_USEC_PER_SEC);
  log_warning_every (WARN_EVERY_S, otherwise, otherwise, seconds);
  return FALSE;
}
