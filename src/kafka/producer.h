/* The producer: idempotent, acks=all, no lingering; any number of threads publish batches through
 * it and wait for exactly their own acknowledgements (batch.h).
 *
 * Invariant: `acked` is set only after the broker has acknowledged that very message.
 *
 * Threads: said at each function; delivery reports are served by a thread of its own
 * (`kafka-acks`).
 */
#pragma once
#include "kafka/message.h"

typedef struct _KafkaProducer KafkaProducer;

KafkaProducer *kafka_producer_new (const char *const *settings, GError **error);
/* Waits up to 2 s for what is in flight. No kafka_publish may be running. */
void kafka_producer_free (KafkaProducer *producer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaProducer, kafka_producer_free)

/* Sends all of MESSAGES (KafkaMessage) that are not acknowledged yet, and waits until each is, or
 * one has failed for good, or TIMEOUT_MS is over (-1: for ever), or *STOP becomes TRUE (may be
 * NULL).
 *
 * TRUE: all are acknowledged. FALSE: those with `acked` arrived; the others may have, or may arrive
 * as long as message.timeout.ms (30 s unless set) after the call, so that a repeat can double them.
 * PRUNED_OUTAGE: time over, topic missing or forbidden (at once, naming it); PRUNED_DATA: the
 * broker will never take a message (too large; the others have arrived unless they are slow);
 * PRUNED_FATAL: the producer is fenced.
 *
 * MESSAGES are the caller's again when it returns. Thread: any, many at once. */
gboolean kafka_publish (KafkaProducer *producer, GPtrArray *messages, int timeout_ms,
                        const volatile gint *stop, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same in two halves, so that its caller can do something else meanwhile: the messages are on
 * their way when begin returns. DONE(DATA) is called once, when each has been acknowledged or has
 * failed; end then waits for nothing, and sends again what failed. MESSAGES are the producer's
 * until kafka_publish_end, or until the KafkaSending is dropped. Thread: any; DONE: `kafka-acks`,
 * or the caller's within begin. */
typedef struct _Batch KafkaSending;
KafkaSending *kafka_publish_begin (KafkaProducer *producer, GPtrArray *messages,
                                   GDestroyNotify done, gpointer data);
gboolean kafka_publish_end (KafkaProducer *producer, KafkaSending *sending, GPtrArray *messages,
                            int timeout_ms, const volatile gint *stop, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* NULL: nothing. After this, as after end, DONE is not called any more. */
void kafka_sending_drop (KafkaSending *sending);

/* TRUE while a broker is believed reachable; looked after once a second while none is. Thread: any.
 */
gboolean kafka_producer_is_up (KafkaProducer *producer);

/* What the broker keeps of a partition: [low, high). */
typedef struct {
  gint64 low, high;
} KafkaEdges;

/* Of the first N partitions of TOPIC; FALSE: not known in time. Thread: any. */
gboolean kafka_producer_edges (KafkaProducer *producer, const char *topic, KafkaEdges *edges,
                               guint n, int timeout_ms);
/* How many partitions TOPIC has; 0: not known in time. Thread: any. */
gint32 kafka_producer_partitions (KafkaProducer *producer, const char *topic, int timeout_ms);
