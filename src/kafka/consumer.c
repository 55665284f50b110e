#include "kafka/consumer.h"
#include "base/clock.h"
#include "kafka/consumer_conf.h"
#include "kafka/partition_private.h"
#include "kafka/watch.h"
#include <stdatomic.h>

#define COMMIT_WITHIN_US (3 * G_USEC_PER_SEC)
#define CLOSE_WITHIN_US (2 * G_USEC_PER_SEC)
#define CLOSE_ANYWAY_US (G_USEC_PER_SEC / 4) /* when the last commit failed */
#define SERVE_MS 50
#define ON_COMMIT "commit"

struct _KafkaConsumer {
  rd_kafka_t *rk;
  const KafkaHandlers *handlers;
  gpointer data;
  Trouble *trouble;
  Fetcher *fetcher;
  atomic_bool joined;
  /* For the poll thread only: */
  GPtrArray *partitions; /* of KafkaPartition: the current assignment */
  GHashTable *queues;    /* "topic/number" -> rd_kafka_queue_t, kept until close: a queue stays
                            forwarded to NULL */
  gboolean subscribed, closed;
  Watch *watch;
};

/* --- assignment --- */

/* The partition's own queue, detached from the consumer's. Must be called before rd_kafka_assign:
 * else the first messages arrive in the consumer's queue. */
static rd_kafka_queue_t *
mailbox_of (KafkaConsumer *consumer, const rd_kafka_topic_partition_t *at)
{
  g_autofree char *key = g_strdup_printf ("%s/%d", at->topic, at->partition);
  rd_kafka_queue_t *queue = rd_kafka_queue_get_partition (consumer->rk, at->topic, at->partition);
  g_assert (queue != NULL);
  rd_kafka_queue_forward (queue, NULL);
  g_hash_table_replace (consumer->queues, g_steal_pointer (&key), queue);
  return queue;
}

static void
add_partition (KafkaConsumer *consumer, const rd_kafka_topic_partition_t *at)
{
  PartitionOwner owner = { consumer->rk, consumer->trouble, consumer->fetcher };
  KafkaPartition *partition
      = partition_new (&owner, mailbox_of (consumer, at), at->topic, at->partition);
  g_ptr_array_add (consumer->partitions, partition);
  gpointer lane
      = consumer->handlers->assigned (partition, at->topic, at->partition, consumer->data);
  partition_begin (partition, lane, consumer->handlers, consumer->data);
}

static void
assign (KafkaConsumer *consumer, const rd_kafka_topic_partition_list_t *list)
{
  for (int i = 0; i < list->cnt; i++)
    add_partition (consumer, &list->elems[i]);
  rd_kafka_resp_err_t err = rd_kafka_assign (consumer->rk, list);
  watch_group (consumer->watch, err != RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_err2str (err) : NULL);
  atomic_store (&consumer->joined, TRUE);
  consumer->handlers->ready (consumer->data);
}

/* Ends the assignment: the lanes stop, then their stored offsets are committed, then the partitions
 * become unusable. FALSE: not committed; the failure is kept as trouble, and the next owner of the
 * partitions receives the messages again. */
static gboolean
end_assignment (KafkaConsumer *consumer)
{
  atomic_store (&consumer->joined, FALSE);
  if (consumer->partitions->len == 0)
    return TRUE;
  gboolean lost = rd_kafka_assignment_lost (consumer->rk);
  g_autoptr (GPtrArray) lanes = g_ptr_array_new ();
  for (guint i = 0; i < consumer->partitions->len; i++) {
    partition_hush (g_ptr_array_index (consumer->partitions, i));
    g_ptr_array_add (lanes, partition_lane (g_ptr_array_index (consumer->partitions, i)));
  }
  if (lost)
    watch_group (consumer->watch,
                 "the group coordinator has removed this process from the group; rejoining");
  consumer->handlers->revoked (lanes, lost, consumer->data);
  for (guint i = 0; i < consumer->partitions->len; i++)
    partition_end (g_ptr_array_index (consumer->partitions, i));
  gboolean committed = !lost && !rd_kafka_assignment_lost (consumer->rk)
                       && kafka_consumer_commit (consumer, TRUE, NULL);
  g_ptr_array_set_size (consumer->partitions, 0);
  return committed;
}

static void
on_rebalance (rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *list,
              void *opaque)
{
  KafkaConsumer *consumer = opaque;
  if (err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS && !consumer->closed) {
    assign (consumer, list);
    return;
  }
  end_assignment (consumer);
  rd_kafka_assign (rk, NULL);
}

/* --- errors --- */

static void
on_error (rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
  KafkaConsumer *consumer = opaque;
  watch_suspect (consumer->watch, reason);
}

static void
note_commit (KafkaConsumer *consumer, rd_kafka_resp_err_t err)
{
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR || err == RD_KAFKA_RESP_ERR__NO_OFFSET) {
    trouble_clear (consumer->trouble, ON_COMMIT);
    return;
  }
  g_autofree char *text = g_strdup_printf ("offsets not committed: %s", rd_kafka_err2str (err));
  trouble_set (consumer->trouble, ON_COMMIT, text);
}

static void
on_commit (rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *offsets,
           void *opaque)
{
  note_commit (opaque, err);
}

gboolean
kafka_consumer_poll (KafkaConsumer *consumer, int timeout_ms, GError **error)
{
  rd_kafka_message_t *raw = rd_kafka_consumer_poll (consumer->rk, timeout_ms);
  gboolean is_event = raw == NULL || watch_event (consumer->watch, raw);
  if (raw != NULL)
    rd_kafka_message_destroy (raw);
  if (!is_event)
    return error_fatal (error, "Kafka client delivered a message outside of its partition's queue");
  watch_look (consumer->watch);
  return !kafka_is_fatal (consumer->rk, error);
}

/* --- committing --- */

typedef struct {
  gboolean done;
  rd_kafka_resp_err_t err;
} CommitReply;

static void
on_commit_reply (rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *offsets,
                 void *opaque)
{
  *(CommitReply *)opaque = (CommitReply){ TRUE, err };
}

/* Waits COMMIT_WITHIN_US at most; rd_kafka_commit would wait for a whole session time-out. The
 * reply comes through this queue only, so none arrives once the queue is destroyed. */
static rd_kafka_resp_err_t
commit_and_wait (KafkaConsumer *consumer)
{
  CommitReply reply = { FALSE, RD_KAFKA_RESP_ERR__TIMED_OUT };
  rd_kafka_queue_t *queue = rd_kafka_queue_new (consumer->rk);
  rd_kafka_resp_err_t err
      = rd_kafka_commit_queue (consumer->rk, NULL, queue, on_commit_reply, &reply);
  gint64 deadline_us = clock_monotonic_us () + COMMIT_WITHIN_US;
  while (err == RD_KAFKA_RESP_ERR_NO_ERROR && !reply.done && clock_monotonic_us () < deadline_us)
    rd_kafka_queue_poll_callback (queue, SERVE_MS);
  rd_kafka_queue_destroy (queue);
  return err != RD_KAFKA_RESP_ERR_NO_ERROR ? err : reply.err;
}

gboolean
kafka_consumer_commit (KafkaConsumer *consumer, gboolean sync, GError **error)
{
  rd_kafka_resp_err_t err = sync ? commit_and_wait (consumer)
                                 : rd_kafka_commit (consumer->rk, NULL, TRUE /* asynchronous */);
  if (err == RD_KAFKA_RESP_ERR__NO_OFFSET)
    err = RD_KAFKA_RESP_ERR_NO_ERROR;
  if (sync || err != RD_KAFKA_RESP_ERR_NO_ERROR)
    note_commit (consumer, err);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  g_autofree char *where = kafka_where (consumer->rk);
  kafka_set_error (error, err, "%s: commit of offsets", where);
  return FALSE;
}

/* --- life --- */

KafkaConsumer *
kafka_consumer_new (const char *const *settings, const char *group, guint n_partitions,
                    const KafkaHandlers *handlers, gpointer data, GError **error)
{
  rd_kafka_conf_t *conf = consumer_conf_new (settings, group, n_partitions, error);
  if (conf == NULL)
    return NULL;
  KafkaConsumer *consumer = g_new0 (KafkaConsumer, 1);
  consumer->handlers = handlers;
  consumer->data = data;
  consumer->trouble = trouble_new ();
  consumer->partitions = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_partition_unref);
  consumer->queues = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                            (GDestroyNotify)rd_kafka_queue_destroy);
  rd_kafka_conf_set_opaque (conf, consumer);
  rd_kafka_conf_set_rebalance_cb (conf, on_rebalance);
  rd_kafka_conf_set_offset_commit_cb (conf, on_commit);
  rd_kafka_conf_set_error_cb (conf, on_error);
  consumer->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  if (consumer->rk != NULL) {
    consumer->fetcher = fetcher_new (consumer->rk);
    consumer->watch = watch_new (consumer->rk, consumer->trouble);
    rd_kafka_poll_set_consumer (consumer->rk);
    return consumer;
  }
  kafka_consumer_free (consumer);
  return NULL;
}

void
kafka_consumer_optional (KafkaConsumer *consumer, const char *topic)
{
  watch_optional (consumer->watch, topic);
}

gboolean
kafka_consumer_subscribe (KafkaConsumer *consumer, const char *const *topics, GError **error)
{
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new (16);
  for (guint i = 0; topics[i] != NULL; i++)
    rd_kafka_topic_partition_list_add (list, topics[i], RD_KAFKA_PARTITION_UA);
  consumer->subscribed = TRUE;
  rd_kafka_resp_err_t err = rd_kafka_subscribe (consumer->rk, list);
  rd_kafka_topic_partition_list_destroy (list);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  return error_fatal (error, "Kafka client cannot subscribe: %s", rd_kafka_err2str (err));
}

/* Leaves the group. Waits WITHIN_US at most: the broker can be gone. */
static void
leave (KafkaConsumer *consumer, gint64 within_us)
{
  rd_kafka_queue_t *queue = rd_kafka_queue_new (consumer->rk);
  rd_kafka_error_t *failure = rd_kafka_consumer_close_queue (consumer->rk, queue);
  gint64 deadline_us = clock_monotonic_us () + within_us;
  while (failure == NULL && !rd_kafka_consumer_closed (consumer->rk)
         && clock_monotonic_us () < deadline_us)
    rd_kafka_queue_poll_callback (queue, SERVE_MS);
  if (failure != NULL)
    rd_kafka_error_destroy (failure);
  rd_kafka_queue_destroy (queue);
}

void
kafka_consumer_close (KafkaConsumer *consumer)
{
  if (consumer->closed)
    return;
  consumer->closed = TRUE;
  if (!consumer->subscribed)
    return;
  gboolean answered = end_assignment (consumer);
  g_hash_table_remove_all (consumer->queues);
  leave (consumer, answered ? CLOSE_WITHIN_US : CLOSE_ANYWAY_US);
}

void
kafka_consumer_free (KafkaConsumer *consumer)
{
  if (consumer == NULL)
    return;
  if (consumer->rk != NULL) {
    kafka_consumer_close (consumer);
    rd_kafka_destroy_flags (consumer->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
  g_hash_table_destroy (consumer->queues);
  g_ptr_array_unref (consumer->partitions);
  fetcher_free (consumer->fetcher);
  watch_free (consumer->watch);
  trouble_free (consumer->trouble);
  g_free (consumer);
}

/* --- looking on --- */

char *
kafka_consumer_trouble (KafkaConsumer *consumer)
{
  return trouble_text (consumer->trouble);
}

guint
kafka_consumer_breaks (KafkaConsumer *consumer)
{
  return watch_breaks (consumer->watch);
}

gboolean
kafka_consumer_joined (KafkaConsumer *consumer)
{
  return atomic_load (&consumer->joined);
}
