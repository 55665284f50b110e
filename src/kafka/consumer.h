/* The consumer: one member of the group; each assigned partition is a mailbox of its own
 * (partition.h).
 *
 * Invariant: nothing is delivered to a lane of an older assignment; offsets are committed only
 * through kafka_consumer_commit and, when not lost, at the end of a revoke.
 *
 * Threads: handlers run on the poll thread but wake(). Ownership: said at each function.
 */
#pragma once
#include "kafka/partition.h"

typedef struct _KafkaConsumer KafkaConsumer;

typedef struct {
  /* A partition was assigned. Returns the lane that wake() gets; it may keep a kafka_partition_ref.
   */
  gpointer (*assigned) (KafkaPartition *partition, const char *topic, gint32 number, gpointer data);
  /* All partitions were assigned and fetch: kick every new lane once. */
  void (*ready) (gpointer data);
  /* These lanes are taken away (what assigned() returned); returns when none of them is used any
   * more, or after its own bound. LOST: another process may have them already; nothing is
   * committed. Afterwards the KafkaPartitions are dead: their calls return FALSE or nothing until
   * the lane drops them. */
  void (*revoked) (GPtrArray *lanes, gboolean lost, gpointer data);
  /* Messages arrived in an empty mailbox. Thread: librdkafka's, under the queue's lock: no call
   * into src/kafka, no lock that is held while taking. */
  void (*wake) (gpointer lane, gpointer data);
} KafkaHandlers;

/* Makes the consumer, which looks for its brokers and its coordinator in the background.
 * GROUP is the consumer group unless settings have group.id. What librdkafka holds in memory is
 * bounded over all N_PARTITIONS together. HANDLERS must outlive the consumer. */
KafkaConsumer *kafka_consumer_new (const char *const *settings, const char *group,
                                   guint n_partitions, const KafkaHandlers *handlers, gpointer data,
                                   GError **error);
/* Subscribes to TOPICS (NULL-terminated), once; joining goes on in the background. */
gboolean kafka_consumer_subscribe (KafkaConsumer *consumer, const char *const *topics,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Serves rebalances and errors for up to TIMEOUT_MS. PRUNED_FATAL: fenced or worse. Errors that
 * pass (broker down, topic not there yet) are kept for kafka_consumer_trouble. Thread: poll, always
 * the same. */
gboolean kafka_consumer_poll (KafkaConsumer *consumer, int timeout_ms, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Commits stored offsets: asynchronously (failures become trouble), or waiting up to 3 s (SYNC).
 * Nothing stored is not an error. Thread: poll. */
gboolean kafka_consumer_commit (KafkaConsumer *consumer, gboolean sync, GError **error);

/* What is wrong now, or NULL; g_free it. Thread: any. */
char *kafka_consumer_trouble (KafkaConsumer *consumer);
guint kafka_consumer_breaks (
    KafkaConsumer *consumer); /* connections that broke so far. Thread: any */
gboolean kafka_consumer_joined (KafkaConsumer *consumer); /* Thread: any */

/* revoked() for what is assigned, commits, leaves the group: at most 5 s after revoked(). Thread:
 * poll. */
void kafka_consumer_close (KafkaConsumer *consumer);
/* After close, and after every KafkaPartition is dropped. */
void kafka_consumer_free (KafkaConsumer *consumer);
