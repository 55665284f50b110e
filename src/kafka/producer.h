/* The producer: idempotent, acks=all, no lingering. Any number of threads publish messages through
 * it, and each waits only for its own acknowledgements (reports.h). A fatal error of librdkafka,
 * as after an unclean election, replaces its client (writer.h); what was not acknowledged is sent
 * again.
 *
 * Invariant: `acked` is set only after the broker has acknowledged that very message.
 *
 * Threads: see each function; the thread `kafka-acks` serves delivery reports.
 */
#pragma once
#include "kafka/message.h"

#include <stdatomic.h>

typedef struct _KafkaProducer KafkaProducer;

KafkaProducer *kafka_producer_new (const char *const *settings, GError **error);
/* Another one with the same settings: what is sent through it shares no request, and so no refusal,
 * with the messages of other threads. Thread: any. */
KafkaProducer *kafka_producer_apart (const KafkaProducer *producer, GError **error);
/* Waits up to 2 s for messages in flight. No kafka_publish may be running. */
void kafka_producer_free (KafkaProducer *producer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaProducer, kafka_producer_free)

/* Sends all of MESSAGES (KafkaMessage) that are not acknowledged yet, and waits until each is, or
 * one has failed for good, or TIMEOUT_MS is over (-1: no time-out), or *STOP becomes TRUE (STOP can
 * be NULL).
 *
 * TRUE: all are acknowledged. FALSE: those with `acked` have arrived. The others can have arrived
 * too, or can arrive up to message.timeout.ms (30 s unless set) after the call, so sending them
 * again can duplicate them. PRUNED_OUTAGE: timed out, or the topic is missing or forbidden (at
 * once, naming it); PRUNED_DATA: the broker will never accept a message (too large; the others have
 * arrived unless they are slow).
 *
 * When it returns, MESSAGES belong to the caller again. Thread: any, many at once. */
gboolean kafka_publish (KafkaProducer *producer, GPtrArray *messages, int timeout_ms,
                        const atomic_int *stop, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same in two halves, so that the caller can do other work meanwhile: when begin returns, the
 * messages are on their way. DONE(DATA) is called once, when each has been acknowledged or has
 * failed; end then does not wait for these, but sends again those that failed. MESSAGES belong to
 * the producer until kafka_publish_end, or until the KafkaSending is dropped. Thread: any; DONE:
 * `kafka-acks`, or the caller's within begin. */
typedef struct _Reports KafkaSending;
KafkaSending *kafka_publish_begin (KafkaProducer *producer, GPtrArray *messages,
                                   GDestroyNotify done, gpointer data);
gboolean kafka_publish_end (KafkaProducer *producer, KafkaSending *sending, GPtrArray *messages,
                            int timeout_ms, const atomic_int *stop, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Drops a sending (NULL: does nothing). After this, as after end, DONE is not called any more. */
void kafka_sending_drop (KafkaSending *sending);

/* TRUE while a broker seems reachable; while none does, the producer checks once a second. Thread:
 * any.
 */
gboolean kafka_producer_is_up (KafkaProducer *producer);

/* The watermarks of a partition: it holds [low, high). */
typedef struct {
  gint64 low, high;
} KafkaEdges;

/* Reads them for the first N partitions of TOPIC; FALSE: not known in time. Thread: any. */
gboolean kafka_producer_edges (KafkaProducer *producer, const char *topic, KafkaEdges *edges,
                               guint n, int timeout_ms);
/* How many partitions TOPIC has; 0: not known in time. Thread: any. */
gint32 kafka_producer_partitions (KafkaProducer *producer, const char *topic, int timeout_ms);
