/* Reads that belong to no group: consumers of their own, for the time of the call, that commit
 * nothing.
 *
 * Threads: any; each call blocks.
 */
#pragma once
#include "kafka/message.h"

/* The message at OFFSET; NULL without error if there is none. */
KafkaMessage *kafka_read_message (const char *const *settings, const char *topic, gint32 partition,
                                  gint64 offset, GError **error);
/* Its timestamp; FALSE without error if there is none. */
gboolean kafka_message_timestamp (const char *const *settings, const char *topic, gint32 partition,
                                  gint64 offset, gint64 *timestamp_ms, GError **error);

/* Gives the messages of TOPIC to VISIT, in order within a partition, from the first one on that has
 * a timestamp of at least FROM_TIMESTAMP_MS (-1: all) up to the end as it was when the call began:
 * also those behind it that say they are older. VISIT returns FALSE to stop. TIMEOUT_MS: so long
 * without a message. PRUNED_OUTAGE: time over, or the topic is not there. */
typedef gboolean (*KafkaVisit) (const KafkaMessage *message, gpointer data);
gboolean kafka_read_topic (const char *const *settings, const char *topic, gint64 from_timestamp_ms,
                           int timeout_ms, KafkaVisit visit, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The same with the messages of one partition from offset FROM up to TO (exclusive), as far as they
 * are there. */
typedef struct {
  gint32 partition;
  gint64 from, to;
} KafkaStretch;
gboolean kafka_read_stretch (const char *const *settings, const char *topic,
                             const KafkaStretch *stretch, int timeout_ms, KafkaVisit visit,
                             gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
