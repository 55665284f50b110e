/* The headers of every message that we write: CloudEvents 1.0, Kafka binary mode
 * (docs/messages.md).
 *
 * Threads: any. Ownership: headers that are filled in borrow the texts.
 */
#pragma once
#include "kafka/message.h"

#define ENVELOPE_HEADERS 6

/* `ce_source` of an installation; PREFIX is `[topics] prefix`. g_free it. */
char *envelope_source (const char *prefix);
/* What many messages have in common; TIME is RFC 3339. */
void envelope_common (MessageHeader headers[ENVELOPE_HEADERS], const char *source,
                      const char *time);
/* And what one of them is; TYPE is the record's full name. */
void envelope_about (MessageHeader headers[ENVELOPE_HEADERS], const char *type, const char *ce_id);
/* All of it, added to MESSAGE. */
void envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
                   gint64 time_us);
