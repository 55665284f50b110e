#include "engine/lane/outage.h"

#include <math.h>
#include <stdatomic.h>

#define HOLD_MOST_S 4.0 /* work continues within five seconds of an outage's end */

static atomic_bool postgres_told;

void
outage_set_told (gboolean told)
{
  atomic_store (&postgres_told, told);
}

gboolean
outage_is_told (const GError *error, guint failures)
{
  return pg_is_away (error) && (failures == 0 || atomic_load (&postgres_told));
}

gint64
outage_hold_us (guint outages)
{
  double seconds = MIN (HOLD_MOST_S, 0.1 * pow (2, MIN (outages, 12)));
  return (gint64)(seconds * g_random_double_range (0.5, 1.0) * G_USEC_PER_SEC);
}

LaneNext
outage_hold (Service *service, Lane *lane, const GError *error)
{
  if (error->code == PRUNED_FATAL)
    service_fail (service, error);
  if (outage_is_told (error, lane->worker.outages))
    log_debug ("A dependency is down; the lane waits", "detail", error->message);
  else
    log_warning_every (10, "outage", "A dependency is down; the lane waits", error->message);
  lane->worker.outages++;
  lane->worker.locked_since_us = 0;
  lane->worker.hold_us = outage_hold_us (lane->worker.outages);
  return LANE_HOLD;
}
