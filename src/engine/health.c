#include "engine/health.h"

static void
tell (Service *service)
{
  if (service->trouble_seen != NULL)
    log_warning ("Kafka is in trouble; what can go on goes on", "detail", service->trouble_seen,
                 "remedy", "pruned status; a missing topic: pruned topics --apply");
  else
    log_info ("Kafka is well again");
  g_free (service->trouble_told);
  service->trouble_told = g_strdup (service->trouble_seen);
}

gboolean
health_look (Service *service)
{
  char *now = kafka_consumer_trouble (service->consumer);
  gboolean lasts = g_strcmp0 (now, service->trouble_seen) == 0;
  g_free (service->trouble_seen);
  service->trouble_seen = now;
  if (lasts && g_strcmp0 (now, service->trouble_told) != 0)
    tell (service);
  return now == NULL && kafka_producer_is_up (service->producer);
}
