#include "engine/health.h"

#include "base/clock.h"

#define REMIND_US (60 * G_USEC_PER_SEC)

static void
log_change (Service *service)
{
  service->main.told_us = clock_monotonic_us ();
  if (service->main.trouble_seen != NULL)
    log_warning ("Kafka degraded; continuing where possible", "detail", service->main.trouble_seen,
                 "remedy", "pruned status; a missing topic: pruned topics --apply");
  else
    log_info ("Kafka works again");
  g_free (service->main.trouble_told);
  service->main.trouble_told = g_strdup (service->main.trouble_seen);
}

/* What is wrong changes while brokers come and go: its beginning and its end are said at once, and
 * in between a line a minute. */
static gboolean
is_to_say (const Service *service)
{
  const char *seen = service->main.trouble_seen, *told = service->main.trouble_told;
  return seen == NULL || told == NULL ? seen != told
                                      : clock_monotonic_us () - service->main.told_us >= REMIND_US;
}

gboolean
health_look (Service *service)
{
  char *now = kafka_consumer_trouble (service->consumer);
  gboolean lasts = g_strcmp0 (now, service->main.trouble_seen) == 0;
  g_free (service->main.trouble_seen);
  service->main.trouble_seen = now;
  if (lasts && is_to_say (service))
    log_change (service);
  return now == NULL && kafka_producer_is_up (service->producer);
}
