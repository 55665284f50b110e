/* librdkafka behind a few verbs: a producer that waits for acknowledgements by batch, a consumer whose assigned partitions
 * are mailboxes, an admin for topics, the embedded (mock) cluster.
 *
 * Invariant: nothing is delivered to a lane of an older epoch; an offset is stored only through the
 * KafkaPartition it was read from, while that is still assigned.
 *
 * Threads: said at each function. Ownership: said at each function.
 */
#pragma once
#include "base/header.h"
#include "base/error.h"

/* One message, to be sent or received. */
typedef struct {
  char *topic;
  gint32 partition;   /* when sent: -1 = by key */
  gint64 offset;      /* received only */
  gint64 timestamp_ms;/* received only */
  guint8 *key;        /* NULL: none */
  gsize key_len;
  guint8 *value;      /* NULL: tombstone */
  gsize value_len;
  MessageHeader *headers;
  guint n_headers;
  gboolean acked;     /* sent: set by kafka_publish; a second kafka_publish sends only those not acked */
} KafkaMessage;

KafkaMessage *kafka_message_new (const char *topic, gint32 partition);
void kafka_message_free (KafkaMessage *message);
void kafka_message_set_key (KafkaMessage *message, const char *text);
void kafka_message_take_value (KafkaMessage *message, GByteArray *value); /* takes the bytes and the array */
void kafka_message_add_header (KafkaMessage *message, const char *name, const char *value);
KafkaMessage *kafka_message_copy (const KafkaMessage *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaMessage, kafka_message_free)

/* Settings: pairs of librdkafka's names and values, NULL-terminated array (name, value, name, value, NULL), as written by the user in [kafka].
 * The functions below add what the engine needs unless the user has set it. A name librdkafka does not know is PRUNED_FATAL with
 * its own words. Log lines of librdkafka go to base/log (level warning and above, rate-limited per facility; the rest at debug). */

/* --- producer: idempotent, acks=all, linger 0 ------------------------------------------------ */
typedef struct _KafkaProducer KafkaProducer;
KafkaProducer *kafka_producer_new (const char *const *settings, GError **error);
void kafka_producer_free (KafkaProducer *producer); /* waits up to 2 s for what is in flight */

/* Sends all of MESSAGES (KafkaMessage) and waits until each is acknowledged or has failed, or TIMEOUT_MS is over (-1: for
 * ever), or *STOP becomes TRUE (may be NULL). TRUE: all are acknowledged. FALSE: PRUNED_OUTAGE; those with `acked`
 * arrived; the others may still arrive. Messages must not be freed by the caller while the call runs; after it has returned they may (payloads are
 * copied by librdkafka). Thread: any; many at once. Counts delivery reports per call, no rd_kafka_flush. */
gboolean kafka_publish (KafkaProducer *producer, GPtrArray *messages, int timeout_ms,
                        const volatile gint *stop, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE while brokers are believed reachable (last error was not _ALL_BROKERS_DOWN since the last success). Thread: any. */
gboolean kafka_producer_is_up (KafkaProducer *producer);

/* --- consumer: partitions as mailboxes (FACTS 2) ---------------------------------------------- */
typedef struct _KafkaConsumer KafkaConsumer;
typedef struct _KafkaPartition KafkaPartition;

typedef struct {
  /* A partition was assigned. Returns the lane that wake() gets. Thread: poll. */
  gpointer (*assigned) (KafkaPartition *partition, const char *topic, gint32 number, gpointer data);
  /* All partitions were assigned and fetch: kick every new lane once. Thread: poll. */
  void (*ready) (gpointer data);
  /* These lanes are taken away (an array of what assigned() returned); returns when none of them is used any more, or after its own bound.
   * LOST: another process may have them already; offsets are not committed. Thread: poll. After it returns the
   * KafkaPartitions are dead: their calls return FALSE / nothing until the lane drops them with kafka_partition_unref. */
  void (*revoked) (GPtrArray *lanes, gboolean lost, gpointer data);
  /* Messages arrived in an empty mailbox. Thread: librdkafka's, under the queue's lock: no call into kafka.h. */
  void (*wake) (gpointer lane, gpointer data);
} KafkaHandlers;

/* Makes the consumer and subscribes to TOPICS (NULL-terminated). GROUP is the consumer group. Returns at once;
 * joining goes on in the background. Settings added: roundrobin, enable.auto.commit=false, enable.auto.offset.store=false, enable.partition.eof=true,
 * auto.offset.reset=earliest, queued.min.messages, queued.max.messages.kbytes (bounded over all N_PARTITIONS together),
 * session.timeout.ms and heartbeat as in librdkafka unless set, allow.auto.create.topics=false. */
KafkaConsumer *kafka_consumer_new (const char *const *settings, const char *group,
                                   const char *const *topics, guint n_partitions,
                                   const KafkaHandlers *handlers, gpointer data, GError **error);

/* Serves rebalances and errors for up to TIMEOUT_MS. PRUNED_FATAL: fenced or worse. Errors that pass (broker down, topic not there yet) are kept for
 * kafka_consumer_trouble. Thread: the poll thread, always the same. */
gboolean kafka_consumer_poll (KafkaConsumer *consumer, int timeout_ms, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Commits stored offsets: asynchronously, or waiting (SYNC). Nothing stored is not an error. Thread: poll. */
gboolean kafka_consumer_commit (KafkaConsumer *consumer, gboolean sync, GError **error);

/* What is wrong now, or NULL; g_free it. Thread: any. */
char *kafka_consumer_trouble (KafkaConsumer *consumer);
gboolean kafka_consumer_joined (KafkaConsumer *consumer); /* Thread: any */
char *kafka_consumer_member (KafkaConsumer *consumer);    /* member id or NULL; g_free. Thread: any */
/* Leaves the group (revoked() is called) and closes. Thread: poll. */
void kafka_consumer_close (KafkaConsumer *consumer);
void kafka_consumer_free (KafkaConsumer *consumer); /* after close, and after every KafkaPartition is dropped */

KafkaPartition *kafka_partition_ref (KafkaPartition *partition);
void kafka_partition_unref (KafkaPartition *partition);

/* Takes up to MAX messages into OUT (KafkaMessage, owned by OUT's free function) without waiting. *END (may be NULL): set to the offset of the
 * partition's end if that was reached by this call (EOF seen after the last taken message), else -1. Partition errors that pass are kept as trouble.
 * Returns how many were taken. Thread: one worker at a time per partition. */
guint kafka_partition_take (KafkaPartition *partition, guint max, GPtrArray *out, gint64 *end);

/* Where consumption starts; before the first take. Messages already fetched from elsewhere are not delivered. Thread: worker. */
gboolean kafka_partition_seek (KafkaPartition *partition, gint64 offset, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Stores NEXT (the offset after the last handled message) for the next commit; FALSE if no longer assigned. Thread: any. */
gboolean kafka_partition_store (KafkaPartition *partition, gint64 next);

/* The group's committed offset of this partition, or -1 if there is none. Asks the broker. Thread: any. */
gboolean kafka_partition_committed (KafkaPartition *partition, int timeout_ms, gint64 *offset,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Low and high watermark as the broker says now. Thread: any. */
gboolean kafka_partition_watermarks (KafkaPartition *partition, int timeout_ms, gint64 *low,
                                     gint64 *high, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The timestamp of the message at OFFSET, read by a consumer of its own; FALSE without error if there is no message. */
gboolean kafka_message_timestamp (const char *const *settings, const char *topic, gint32 partition,
                                  gint64 offset, gint64 *timestamp_ms, GError **error);

/* --- admin -------------------------------------------------------------------------------------- */
typedef struct {
  char *name;
  gint32 partitions; /* -1: topic is not there */
} KafkaTopic;
typedef struct _KafkaAdmin KafkaAdmin;
KafkaAdmin *kafka_admin_new (const char *const *settings, GError **error);
void kafka_admin_free (KafkaAdmin *admin);
/* Fills in `partitions` of N topics. PRUNED_OUTAGE with the bootstrap servers in the words. */
gboolean kafka_admin_describe (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Makes the topics that are missing and adds partitions where there are fewer than wanted; replication factor: the broker's default.
 * CONFIGS: pairs name, value, NULL-terminated (may be NULL). */
gboolean kafka_admin_create (KafkaAdmin *admin, const char *topic, gint32 partitions,
                             const char *const *configs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean kafka_admin_grow (KafkaAdmin *admin, const char *topic, gint32 partitions, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
char *kafka_admin_cluster_id (KafkaAdmin *admin, int timeout_ms, GError **error); /* g_free */

/* Reads a topic from the beginning (or OFFSET of one partition) to the end as it is now, without a group: for `dead list`, `replay`, --wait. VISIT
 * returns FALSE to stop. TIMEOUT_MS is for the whole. */
typedef gboolean (*KafkaVisit) (const KafkaMessage *message, gpointer data);
gboolean kafka_read_topic (const char *const *settings, const char *topic, gint64 from_timestamp_ms /* -1: beginning */,
                           int timeout_ms, KafkaVisit visit, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* --- embedded ------------------------------------------------------------------------------------- */
typedef struct _KafkaEmbedded KafkaEmbedded;
/* librdkafka's mock cluster, one broker, speaking the real protocol on a port of 127.0.0.1. */
KafkaEmbedded *kafka_embedded_new (GError **error);
const char *kafka_embedded_bootstrap (KafkaEmbedded *embedded); /* "127.0.0.1:port" */
gboolean kafka_embedded_topic (KafkaEmbedded *embedded, const char *topic, gint32 partitions, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void kafka_embedded_free (KafkaEmbedded *embedded);

/* For `pruned version`. Static. */
const char *kafka_library_version (void);
