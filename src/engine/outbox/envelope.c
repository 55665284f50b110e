#include "engine/outbox/envelope.h"

#include "base/clock.h"

#include <string.h>

enum { SPECVERSION, ID, SOURCE, TYPE, TIME, CONTENT_TYPE };

static void
set (MessageHeader *header, const char *name, const char *value)
{
  *header = (MessageHeader){ (char *)name, (char *)value, strlen (value) };
}

char *
envelope_source (const char *prefix)
{
  return g_strconcat ("/pruned/", prefix, NULL);
}

void
envelope_common (MessageHeader headers[ENVELOPE_HEADERS], const char *source, const char *time)
{
  set (&headers[SPECVERSION], "ce_specversion", "1.0");
  set (&headers[SOURCE], "ce_source", source);
  set (&headers[TIME], "ce_time", time);
  set (&headers[CONTENT_TYPE], "content-type", "application/avro");
}

void
envelope_about (MessageHeader headers[ENVELOPE_HEADERS], const char *type, const char *ce_id)
{
  set (&headers[ID], "ce_id", ce_id);
  set (&headers[TYPE], "ce_type", type);
}

void
envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
              gint64 time_us)
{
  g_autofree char *source = envelope_source (prefix);
  g_autofree char *time = clock_format (time_us);
  MessageHeader headers[ENVELOPE_HEADERS];
  envelope_common (headers, source, time);
  envelope_about (headers, type, ce_id);
  for (guint i = 0; i < ENVELOPE_HEADERS; i++)
    kafka_message_add_header (message, headers[i].name, headers[i].value);
}
