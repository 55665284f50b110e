#include "engine/lane/outage.h"

#include <math.h>

#define HOLD_MOST_S 4.0 /* within five seconds of an outage's end work goes on */

gint64
outage_hold_us (guint outages)
{
  double seconds = MIN (HOLD_MOST_S, 0.1 * pow (2, MIN (outages, 12)));
  return (gint64)(seconds * g_random_double_range (0.5, 1.0) * G_USEC_PER_SEC);
}

void
outage_note (Service *service, Lane *lane, const GError *error)
{
  if (error->code == PRUNED_FATAL)
    service_fail (service, error);
  log_warning_every (10, "outage", "A dependency is down; the lane waits", error->message);
  lane->outages++;
  lane->locked_since_us = 0;
}

void
outage_publish (Service *service, Lane *lane, Bundle *bundle)
{
  for (guint tries = 0;; tries++) {
    g_autoptr (GError) error = NULL;
    if (publisher_send (service->publisher, bundle, &error))
      return;
    log_warning_every (10, "publish", "Publishing waits for Kafka", error->message);
    if (lane_should_yield (service->lanes, lane)) {
      publisher_abandon (service->publisher, bundle);
      lane->unsent = TRUE;
      return;
    }
    lanes_touch (service->lanes, lane);
    g_usleep ((gulong)outage_hold_us (MIN (tries, 4)));
  }
}
