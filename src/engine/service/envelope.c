#include "engine/service/envelope.h"

#include "avro/message.h"
#include "base/clock.h"

#include <string.h>

static char mine[40];
static gsize mine_len;

void
origin_clear (Origin *origin)
{
  g_free (origin->database);
  g_free (origin->name);
  g_free (origin->host);
  g_free (origin->system);
  *origin = (Origin){ NULL };
}

char *
origin_words (const Origin *origin)
{
  return g_strdup_printf ("%s on %s (identity %s)", origin->name, origin->host, origin->database);
}

void
origin_begin (const char *database)
{
  mine_len = g_strlcpy (mine, database, sizeof mine);
  g_assert (mine_len < sizeof mine);
}

const char *
origin_database (void)
{
  return mine_len > 0 ? mine : NULL;
}

char *
origin_refusal (const KafkaMessage *message)
{
  const MessageHeader *said = mine_len > 0 ? kafka_message_header (message, ORIGIN_HEADER) : NULL;
  if (said == NULL || (said->value_len == mine_len && memcmp (said->value, mine, mine_len) == 0))
    return NULL;
  g_autofree char *reason = g_strdup_printf (
      "of another database: its header " ORIGIN_HEADER
      " says %.36s, this database is %s; give one of the two another"
      " [topics] prefix, and if it was meant for this one, ask for it again here",
      said->value != NULL ? said->value : "nothing", mine);
  return message_printable (reason);
}

/* --- the headers --- */

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
