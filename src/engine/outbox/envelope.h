/* The headers of every message that this program writes: CloudEvents 1.0, Kafka binary mode
 * (docs/messages.md).
 *
 * Threads: any. Ownership: filled headers borrow the texts.
 */
#pragma once
#include "kafka/message.h"

#define ENVELOPE_MOST 7

/* `ce_source` of an installation; PREFIX is `[topics] prefix`. g_free it. */
char *envelope_source (const char *prefix);
/* Fills in the headers that many messages share; TIME is RFC 3339. */
void envelope_common (MessageHeader headers[ENVELOPE_MOST], const char *source, const char *time);
/* Fills in the headers of a single message; TYPE is the full name of the record. Returns how many
 * it has: what this service reads itself also says whose it is (origin.h). */
guint envelope_about (MessageHeader headers[ENVELOPE_MOST], const char *type, const char *ce_id);
/* Adds all of these headers to MESSAGE. */
void envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
                   gint64 time_us);
