/* One assignment of one partition: a mailbox, and the only way to store its offset. A partition
 * that is assigned again is a new KafkaPartition, so offsets read under the old assignment cannot
 * be stored.
 *
 * Invariant: after revoked() has returned (consumer.h), nothing is taken or stored through it.
 *
 * Threads: see each function. Ownership: reference-counted; the lane holds a reference from
 * assigned() on.
 */
#pragma once
#include "kafka/message.h"

typedef struct _KafkaPartition KafkaPartition;

KafkaPartition *kafka_partition_ref (KafkaPartition *partition);
void kafka_partition_unref (KafkaPartition *partition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaPartition, kafka_partition_unref)

/* Takes up to MAX messages into OUT (KafkaMessage, owned by OUT's free function) without waiting.
 * *END (can be NULL): the offset of the partition's end if it was reached after the last taken
 * message, else -1. Errors that pass are kept as trouble. Returns how many were taken. Thread: one
 * worker at a time per partition. The caller must hold no lock that KafkaHandlers.wake takes. */
guint kafka_partition_take (KafkaPartition *partition, guint max, GPtrArray *out, gint64 *end);
/* The same. If the log is longer, waits for more or for the end, about half a second at most: what
 * follows can be offsets that are no messages (of a transactional producer). The rules are those of
 * kafka_partition_take. */
guint kafka_partition_take_to_end (KafkaPartition *partition, guint max, GPtrArray *out,
                                   gint64 *end);

/* Sets where consumption starts; call it before the first take. Messages already fetched from
 * elsewhere are not delivered. Waits (up to 10 s) until the assignment has begun to fetch. If
 * OFFSET is outside the log, starts at the earliest. Thread: worker. */
gboolean kafka_partition_seek (KafkaPartition *partition, gint64 offset, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Stores NEXT (the offset after the last handled message) for the next commit; FALSE if no longer
 * assigned. An offset below the committed one is not committed. Thread: any. */
gboolean kafka_partition_store (KafkaPartition *partition, gint64 next);

/* The group's committed offset, or -1 if there is none. Sends a request to the broker. Thread:
 * any. */
gboolean kafka_partition_committed (KafkaPartition *partition, int timeout_ms, gint64 *offset,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The end of the log as of the last fetch, without a request; -1: not known yet. Thread: any. */
gint64 kafka_partition_end (const KafkaPartition *partition);
/* The low (NULL: not needed, which saves a request) and high watermark, requested from the broker.
 * TIMEOUT_MS does not include the time that fetches wait for messages. Thread: any. */
gboolean kafka_partition_watermarks (KafkaPartition *partition, int timeout_ms, gint64 *low,
                                     gint64 *high, GError **error) G_GNUC_WARN_UNUSED_RESULT;
