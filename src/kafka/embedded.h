/* Kafka embedded: librdkafka's mock cluster, one broker in this process, speaking the real protocol
 * on a port of 127.0.0.1. Its log is memory only and bounded (5 MB a partition; the oldest goes
 * silently); it has no admin interface, and knows no offsets by time.
 *
 * Threads: any; the broker runs on threads of librdkafka.
 */
#pragma once
#include "base/error.h"

typedef struct _KafkaEmbedded KafkaEmbedded;

KafkaEmbedded *kafka_embedded_new (GError **error);
/* After every client of it is gone. */
void kafka_embedded_free (KafkaEmbedded *embedded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaEmbedded, kafka_embedded_free)

const char *kafka_embedded_bootstrap (KafkaEmbedded *embedded); /* "127.0.0.1:port" */
/* A topic that is there already is not an error. */
gboolean kafka_embedded_topic (KafkaEmbedded *embedded, const char *topic, gint32 partitions,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
