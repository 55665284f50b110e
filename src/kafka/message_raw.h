/* Messages in librdkafka's form.
 *
 * Threads: any. Ownership: see each function.
 */
#pragma once
#include "kafka/client.h"
#include "kafka/message.h"

/* The timestamp of a message, within -1 (none) and KAFKA_LATEST_MS: a producer can give it any. */
gint64 kafka_message_time_ms (const rd_kafka_message_t *raw, rd_kafka_timestamp_type_t *kind);
/* A copy of a received message, as one block; kafka_message_free. */
KafkaMessage *kafka_message_from (const rd_kafka_message_t *raw);
/* The headers in librdkafka's form, the caller's; NULL: none. */
rd_kafka_headers_t *kafka_message_raw_headers (const KafkaMessage *message);
