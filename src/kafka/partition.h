/* One assignment of one partition: a mailbox, and the only way to store its offset. A partition
 * that is assigned again is a new KafkaPartition, so what was read under the old one cannot be
 * stored.
 *
 * Invariant: after revoked() has returned (consumer.h) nothing is taken, and nothing stored,
 * through it.
 *
 * Threads: said at each function. Ownership: counted; the lane holds one from assigned() on.
 */
#pragma once
#include "kafka/message.h"

typedef struct _KafkaPartition KafkaPartition;

KafkaPartition *kafka_partition_ref (KafkaPartition *partition);
void kafka_partition_unref (KafkaPartition *partition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaPartition, kafka_partition_unref)

/* Takes up to MAX messages into OUT (KafkaMessage, owned by OUT's free function) without waiting.
 * *END (may be NULL): the offset of the partition's end if it was reached after the last taken
 * message, else -1. Errors that pass are kept as trouble. Returns how many were taken. Thread: one
 * worker at a time per partition; holds no lock that KafkaHandlers.wake must wait for. */
guint kafka_partition_take (KafkaPartition *partition, guint max, GPtrArray *out, gint64 *end);

/* Where consumption starts; before the first take. What was fetched from elsewhere is not
 * delivered. Waits (up to 10 s) until the assignment has begun to fetch. OFFSET outside the log:
 * the earliest. Thread: worker. */
gboolean kafka_partition_seek (KafkaPartition *partition, gint64 offset, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Stores NEXT (the offset after the last handled message) for the next commit; FALSE if no longer
 * assigned. An offset below the committed one is not committed. Thread: any. */
gboolean kafka_partition_store (KafkaPartition *partition, gint64 next);

/* The group's committed offset, or -1 if there is none. Asks the broker. Thread: any. */
gboolean kafka_partition_committed (KafkaPartition *partition, int timeout_ms, gint64 *offset,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The end of the log as the last fetch saw it, without asking; -1: not known yet. Thread: any. */
gint64 kafka_partition_end (const KafkaPartition *partition);
/* Low (NULL: not asked for, a question less) and high watermark as the broker says now. TIMEOUT_MS:
 * beyond what fetches wait for messages. Thread: any. */
gboolean kafka_partition_watermarks (KafkaPartition *partition, int timeout_ms, gint64 *low,
                                     gint64 *high, GError **error) G_GNUC_WARN_UNUSED_RESULT;
