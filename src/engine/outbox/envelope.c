#include "engine/outbox/envelope.h"

#include "base/clock.h"
#include "engine/service/origin.h"

#include <string.h>

enum { SPECVERSION, ID, SOURCE, TYPE, TIME, CONTENT_TYPE, DATABASE };

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
envelope_common (MessageHeader headers[ENVELOPE_MOST], const char *source, const char *time)
{
  set (&headers[SPECVERSION], "ce_specversion", "1.0");
  set (&headers[SOURCE], "ce_source", source);
  set (&headers[TIME], "ce_time", time);
  set (&headers[CONTENT_TYPE], "content-type", "application/avro");
  if (origin_database () != NULL)
    set (&headers[DATABASE], ORIGIN_HEADER, origin_database ());
}

guint
envelope_about (MessageHeader headers[ENVELOPE_MOST], const char *type, const char *ce_id)
{
  set (&headers[ID], "ce_id", ce_id);
  set (&headers[TYPE], "ce_type", type);
  const gboolean read_by_us = !g_str_has_prefix (type, "pruned.outcomes.");
  return read_by_us && origin_database () != NULL ? DATABASE + 1 : DATABASE;
}

void
envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
              gint64 time_us)
{
  g_autofree char *source = envelope_source (prefix);
  g_autofree char *time = clock_format (time_us);
  MessageHeader headers[ENVELOPE_MOST];
  envelope_common (headers, source, time);
  const guint n = envelope_about (headers, type, ce_id);
  for (guint i = 0; i < n; i++)
    kafka_message_add_header (message, headers[i].name, headers[i].value);
}
