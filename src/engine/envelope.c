#include "engine/envelope.h"

#include "base/clock.h"

void
envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
              gint64 time_us)
{
  g_autofree char *source = g_strconcat ("/pruned/", prefix, NULL);
  g_autofree char *time = clock_format (time_us);
  kafka_message_add_header (message, "ce_specversion", "1.0");
  kafka_message_add_header (message, "ce_id", ce_id);
  kafka_message_add_header (message, "ce_source", source);
  kafka_message_add_header (message, "ce_type", type);
  kafka_message_add_header (message, "ce_time", time);
  kafka_message_add_header (message, "content-type", "application/avro");
}
