/* The headers of every message that we write: CloudEvents 1.0, Kafka binary mode (DESIGN 4).
 *
 * Threads: any.
 */
#pragma once
#include "kafka/message.h"

/* Adds them to MESSAGE. PREFIX is `[topics] prefix`, TYPE the record's full name. */
void envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
                   gint64 time_us);
