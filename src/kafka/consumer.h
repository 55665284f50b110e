/* The consumer: one member of the group; each assigned partition has its own mailbox (partition.h).
 *
 * Invariant: no message is delivered to a lane of an older assignment; offsets are committed only
 * through kafka_consumer_commit and, when not lost, at the end of a revoke.
 *
 * Threads: handlers except wake() run on the poll thread. Ownership: see each function.
 */
#pragma once
#include "kafka/partition.h"

typedef struct _KafkaConsumer KafkaConsumer;

typedef struct {
  /* A partition was assigned. Returns the lane that wake() receives; the lane can keep a
   * kafka_partition_ref.
   */
  gpointer (*assigned) (KafkaPartition *partition, const char *topic, gint32 number, gpointer data);
  /* All partitions are assigned and being fetched: wake every new lane once. */
  void (*ready) (gpointer data);
  /* The partitions of LANES (as returned by assigned()) are revoked. Returns when no lane is in use
   * any more, or after its own time-out. LOST: another process can own the partitions already;
   * nothing will be committed. Afterwards each KafkaPartition is dead: its calls return FALSE or
   * nothing until the lane drops it. */
  void (*revoked) (GPtrArray *lanes, gboolean lost, gpointer data);
  /* Messages arrived in an empty mailbox. Thread: librdkafka's, under the queue's lock. It must not
   * call into src/kafka, nor take a lock that is held during kafka_partition_take. */
  void (*wake) (gpointer lane, gpointer data);
} KafkaHandlers;

/* Makes the consumer; it connects to the brokers and to the coordinator in the background. GROUP is
 * the consumer group unless SETTINGS have group.id. The messages that librdkafka holds in memory
 * are bounded for N_PARTITIONS together. HANDLERS must outlive the consumer. */
KafkaConsumer *kafka_consumer_new (const char *const *settings, const char *group,
                                   guint n_partitions, const KafkaHandlers *handlers, gpointer data,
                                   GError **error);
/* Whether SETTINGS suit a consumer and a producer, and each other. Makes one of each. */
gboolean kafka_consumer_check (const char *const *settings, const char *group, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* TOPIC, one of those that are subscribed to, need not be there: it is read once it appears. Before
 * kafka_consumer_subscribe, in its thread. */
void kafka_consumer_optional (KafkaConsumer *consumer, const char *topic);
/* Subscribes to TOPICS (NULL-terminated), from now on to these alone. The consumer joins the group
 * in the background. Thread: poll, or before there is one. */
gboolean kafka_consumer_subscribe (KafkaConsumer *consumer, const char *const *topics,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Serves rebalances and errors for up to TIMEOUT_MS. PRUNED_FATAL: fenced, or another fatal error.
 * Errors that pass (a broker down, a topic that does not exist yet) are kept for
 * kafka_consumer_trouble. Thread: the poll thread, always the same one. */
gboolean kafka_consumer_poll (KafkaConsumer *consumer, int timeout_ms, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Commits stored offsets: asynchronously (failures become trouble), or waiting up to 3 s (SYNC). If
 * nothing is stored, returns TRUE. Thread: poll. */
gboolean kafka_consumer_commit (KafkaConsumer *consumer, gboolean sync, GError **error);

/* The current trouble, or NULL; g_free it. Thread: any. */
char *kafka_consumer_trouble (KafkaConsumer *consumer);
/* How many connections have broken so far. Thread: any. */
guint kafka_consumer_breaks (KafkaConsumer *consumer);
gboolean kafka_consumer_joined (KafkaConsumer *consumer); /* Thread: any */

/* Calls revoked() for the assigned partitions, commits, leaves the group. Takes 5 s at most after
 * revoked() has returned. Thread: poll. */
void kafka_consumer_close (KafkaConsumer *consumer);
/* Call it after close, and after every KafkaPartition is dropped. */
void kafka_consumer_free (KafkaConsumer *consumer);
