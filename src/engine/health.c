#include "engine/health.h"

static void
log_change (Service *service)
{
  if (service->main.trouble_seen != NULL)
    log_warning ("Kafka degraded; continuing where possible", "detail", service->main.trouble_seen,
                 "remedy", "pruned status; a missing topic: pruned topics --apply");
  else
    log_info ("Kafka works again");
  g_free (service->main.trouble_told);
  service->main.trouble_told = g_strdup (service->main.trouble_seen);
}

gboolean
health_look (Service *service)
{
  char *now = kafka_consumer_trouble (service->consumer);
  gboolean lasts = g_strcmp0 (now, service->main.trouble_seen) == 0;
  g_free (service->main.trouble_seen);
  service->main.trouble_seen = now;
  if (lasts && g_strcmp0 (now, service->main.trouble_told) != 0)
    log_change (service);
  return now == NULL && kafka_producer_is_up (service->producer);
}
