/* Reads without a consumer group. Each call uses a consumer of its own, which commits nothing.
 *
 * Threads: any; each call blocks.
 */
#pragma once
#include "kafka/message.h"

/* The message at OFFSET; NULL without error: there is none. PRUNED_REJECT: it is not readable. */
KafkaMessage *kafka_read_message (const char *const *settings, const char *topic, gint32 partition,
                                  gint64 offset, GError **error);
/* The timestamp of the message at OFFSET; FALSE without error: there is none that is readable. */
gboolean kafka_message_timestamp (const char *const *settings, const char *topic, gint32 partition,
                                  gint64 offset, gint64 *timestamp_ms, GError **error);

/* Who reads. A batch that cannot be unpacked (unread.h) is an error that names it, and nothing
 * behind it is read; with PASS_OVER that gets the batch's offsets, and reading goes on behind it.
 */
typedef struct {
  gint32 partition;
  gint64 from, to;
} KafkaStretch;
typedef gboolean (*KafkaVisit) (const KafkaMessage *message, gpointer data);
typedef struct {
  KafkaVisit visit; /* FALSE: stop */
  void (*pass_over) (const KafkaStretch *batch, gpointer data);
  gpointer data;
} KafkaVisitor;

/* Passes the messages of TOPIC to VISITOR, in order within a partition: from the first one with a
 * timestamp of at least FROM_TIMESTAMP_MS (-1: all) up to the end as it was when the call began,
 * including later ones with older timestamps. TIMEOUT_MS: the longest wait for the next message.
 * PRUNED_OUTAGE: timed out, or the topic does not exist. */
gboolean kafka_read_topic (const char *const *settings, const char *topic, gint64 from_timestamp_ms,
                           int timeout_ms, const KafkaVisitor *visitor, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The same for one partition, from offset FROM up to TO (exclusive), as far as the messages
 * exist. */
gboolean kafka_read_stretch (const char *const *settings, const char *topic,
                             const KafkaStretch *stretch, int timeout_ms,
                             const KafkaVisitor *visitor, GError **error) G_GNUC_WARN_UNUSED_RESULT;
