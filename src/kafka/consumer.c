#include "kafka/consumer.h"
#include "base/clock.h"
#include "kafka/inspect.h"
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
mailbox_of (KafkaConsumer *self, const rd_kafka_topic_partition_t *at)
{
  g_autofree char *key = g_strdup_printf ("%s/%d", at->topic, at->partition);
  rd_kafka_queue_t *queue = rd_kafka_queue_get_partition (self->rk, at->topic, at->partition);
  g_assert (queue != NULL);
  rd_kafka_queue_forward (queue, NULL);
  g_hash_table_replace (self->queues, g_steal_pointer (&key), queue);
  return queue;
}

static void
add_partition (KafkaConsumer *self, const rd_kafka_topic_partition_t *at)
{
  PartitionOwner owner = { self->rk, self->trouble, self->fetcher };
  KafkaPartition *partition
      = partition_new (&owner, mailbox_of (self, at), at->topic, at->partition);
  g_ptr_array_add (self->partitions, partition);
  gpointer lane = self->handlers->assigned (partition, at->topic, at->partition, self->data);
  partition_begin (partition, lane, self->handlers, self->data);
}

static void
assign (KafkaConsumer *self, const rd_kafka_topic_partition_list_t *list)
{
  for (int i = 0; i < list->cnt; i++)
    add_partition (self, &list->elems[i]);
  rd_kafka_resp_err_t err = rd_kafka_assign (self->rk, list);
  watch_group (self->watch, err != RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_err2str (err) : NULL);
  atomic_store (&self->joined, TRUE);
  self->handlers->ready (self->data);
}

/* Ends the assignment: the lanes stop, then their stored offsets are committed, then the partitions
 * become unusable. FALSE: not committed; the failure is kept as trouble, and the next owner of the
 * partitions receives the messages again. */
static gboolean
end_assignment (KafkaConsumer *self)
{
  atomic_store (&self->joined, FALSE);
  if (self->partitions->len == 0)
    return TRUE;
  gboolean lost = rd_kafka_assignment_lost (self->rk);
  g_autoptr (GPtrArray) lanes = g_ptr_array_new ();
  for (guint i = 0; i < self->partitions->len; i++) {
    partition_hush (g_ptr_array_index (self->partitions, i));
    g_ptr_array_add (lanes, partition_lane (g_ptr_array_index (self->partitions, i)));
  }
  if (lost)
    watch_group (self->watch,
                 "the group coordinator has removed this process from the group; rejoining");
  self->handlers->revoked (lanes, lost, self->data);
  for (guint i = 0; i < self->partitions->len; i++)
    partition_end (g_ptr_array_index (self->partitions, i));
  gboolean committed
      = !lost && !rd_kafka_assignment_lost (self->rk) && kafka_consumer_commit (self, TRUE, NULL);
  g_ptr_array_set_size (self->partitions, 0);
  return committed;
}

static void
on_rebalance (rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *list,
              void *opaque)
{
  KafkaConsumer *self = opaque;
  if (err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS && !self->closed) {
    assign (self, list);
    return;
  }
  end_assignment (self);
  rd_kafka_assign (rk, NULL);
}

/* --- errors --- */

static void
on_error (rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
  KafkaConsumer *self = opaque;
  watch_suspect (self->watch, reason);
}

static void
note_commit (KafkaConsumer *self, rd_kafka_resp_err_t err)
{
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR || err == RD_KAFKA_RESP_ERR__NO_OFFSET) {
    trouble_clear (self->trouble, ON_COMMIT);
    return;
  }
  g_autofree char *text = g_strdup_printf ("offsets not committed: %s", rd_kafka_err2str (err));
  trouble_set (self->trouble, ON_COMMIT, text);
}

static void
on_commit (rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *offsets,
           void *opaque)
{
  note_commit (opaque, err);
}

gboolean
kafka_consumer_poll (KafkaConsumer *self, int timeout_ms, GError **error)
{
  rd_kafka_message_t *raw = rd_kafka_consumer_poll (self->rk, timeout_ms);
  gboolean is_event = raw == NULL || watch_event (self->watch, raw);
  if (raw != NULL)
    rd_kafka_message_destroy (raw);
  if (!is_event) {
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "Kafka client delivered a message outside of its partition's queue");
    return FALSE;
  }
  watch_look (self->watch);
  return !kafka_is_fatal (self->rk, error);
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
commit_and_wait (KafkaConsumer *self)
{
  CommitReply reply = { FALSE, RD_KAFKA_RESP_ERR__TIMED_OUT };
  rd_kafka_queue_t *queue = rd_kafka_queue_new (self->rk);
  rd_kafka_resp_err_t err = rd_kafka_commit_queue (self->rk, NULL, queue, on_commit_reply, &reply);
  gint64 deadline_us = clock_monotonic_us () + COMMIT_WITHIN_US;
  while (err == RD_KAFKA_RESP_ERR_NO_ERROR && !reply.done && clock_monotonic_us () < deadline_us)
    rd_kafka_queue_poll_callback (queue, SERVE_MS);
  rd_kafka_queue_destroy (queue);
  return err != RD_KAFKA_RESP_ERR_NO_ERROR ? err : reply.err;
}

gboolean
kafka_consumer_commit (KafkaConsumer *self, gboolean sync, GError **error)
{
  rd_kafka_resp_err_t err
      = sync ? commit_and_wait (self) : rd_kafka_commit (self->rk, NULL, TRUE /* asynchronous */);
  if (err == RD_KAFKA_RESP_ERR__NO_OFFSET)
    err = RD_KAFKA_RESP_ERR_NO_ERROR;
  if (sync || err != RD_KAFKA_RESP_ERR_NO_ERROR)
    note_commit (self, err);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  g_autofree char *where = kafka_where (self->rk);
  kafka_set_error (error, err, "%s: commit of offsets", where);
  return FALSE;
}

/* --- life --- */

static rd_kafka_conf_t *
consumer_conf (const char *const *settings, const char *group, guint n_partitions, GError **error)
{
  static const char *const fixed[] = { "enable.auto.commit",
                                       "false",
                                       "enable.auto.offset.store",
                                       "false",
                                       "enable.partition.eof",
                                       "true",
                                       NULL };
  FetcherLimits limits = fetcher_limits (n_partitions);
  const char *const wanted[]
      = { "group.id", group, "partition.assignment.strategy", "roundrobin",
          /* Lets `pruned doctor` tell members of other versions apart. */
          "client.id", KAFKA_MEMBER_OF PRUNED_VERSION, "auto.offset.reset", "earliest",
          /* The longest time that a dead process keeps its partitions. */
          "session.timeout.ms", "6000", "heartbeat.interval.ms", "2000", "allow.auto.create.topics",
          "false", "queued.min.messages", limits.messages, "queued.max.messages.kbytes",
          limits.kbytes, "fetch.message.max.bytes", limits.fetch_bytes, "fetch.max.bytes",
          "1048576", "fetch.wait.max.ms", limits.wait_ms, "topic.metadata.refresh.interval.ms",
          "5000", "metadata.max.age.ms", "15000", NULL };
  const char *own = kafka_setting (settings, "group.id");
  if (own == NULL || *own != '\0')
    return kafka_conf_new (settings, wanted, fixed, error);
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
               "setting kafka.group.id: it is empty; without it the group is %s", group);
  return NULL;
}

gboolean
kafka_consumer_check (const char *const *settings, const char *group, GError **error)
{
  rd_kafka_conf_t *conf = consumer_conf (settings, group, 1, error);
  if (conf != NULL)
    rd_kafka_conf_destroy (conf);
  return conf != NULL;
}

KafkaConsumer *
kafka_consumer_new (const char *const *settings, const char *group, guint n_partitions,
                    const KafkaHandlers *handlers, gpointer data, GError **error)
{
  rd_kafka_conf_t *conf = consumer_conf (settings, group, n_partitions, error);
  if (conf == NULL)
    return NULL;
  KafkaConsumer *self = g_new0 (KafkaConsumer, 1);
  self->handlers = handlers;
  self->data = data;
  self->trouble = trouble_new ();
  self->partitions = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_partition_unref);
  self->queues = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify)rd_kafka_queue_destroy);
  rd_kafka_conf_set_opaque (conf, self);
  rd_kafka_conf_set_rebalance_cb (conf, on_rebalance);
  rd_kafka_conf_set_offset_commit_cb (conf, on_commit);
  rd_kafka_conf_set_error_cb (conf, on_error);
  self->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  if (self->rk != NULL) {
    self->fetcher = fetcher_new (self->rk);
    self->watch = watch_new (self->rk, self->trouble);
    rd_kafka_poll_set_consumer (self->rk);
    return self;
  }
  kafka_consumer_free (self);
  return NULL;
}

void
kafka_consumer_optional (KafkaConsumer *self, const char *topic)
{
  watch_optional (self->watch, topic);
}

gboolean
kafka_consumer_subscribe (KafkaConsumer *self, const char *const *topics, GError **error)
{
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new (16);
  for (guint i = 0; topics[i] != NULL; i++)
    rd_kafka_topic_partition_list_add (list, topics[i], RD_KAFKA_PARTITION_UA);
  self->subscribed = TRUE;
  rd_kafka_resp_err_t err = rd_kafka_subscribe (self->rk, list);
  rd_kafka_topic_partition_list_destroy (list);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "Kafka client cannot subscribe: %s",
               rd_kafka_err2str (err));
  return FALSE;
}

/* Leaves the group. Waits WITHIN_US at most: the broker can be gone. */
static void
leave (KafkaConsumer *self, gint64 within_us)
{
  rd_kafka_queue_t *queue = rd_kafka_queue_new (self->rk);
  rd_kafka_error_t *failure = rd_kafka_consumer_close_queue (self->rk, queue);
  gint64 deadline_us = clock_monotonic_us () + within_us;
  while (failure == NULL && !rd_kafka_consumer_closed (self->rk)
         && clock_monotonic_us () < deadline_us)
    rd_kafka_queue_poll_callback (queue, SERVE_MS);
  if (failure != NULL)
    rd_kafka_error_destroy (failure);
  rd_kafka_queue_destroy (queue);
}

void
kafka_consumer_close (KafkaConsumer *self)
{
  if (self->closed)
    return;
  self->closed = TRUE;
  if (!self->subscribed)
    return;
  gboolean answered = end_assignment (self);
  g_hash_table_remove_all (self->queues);
  leave (self, answered ? CLOSE_WITHIN_US : CLOSE_ANYWAY_US);
}

void
kafka_consumer_free (KafkaConsumer *self)
{
  if (self == NULL)
    return;
  if (self->rk != NULL) {
    kafka_consumer_close (self);
    rd_kafka_destroy_flags (self->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
  g_hash_table_destroy (self->queues);
  g_ptr_array_unref (self->partitions);
  fetcher_free (self->fetcher);
  watch_free (self->watch);
  trouble_free (self->trouble);
  g_free (self);
}

/* --- looking on --- */

char *
kafka_consumer_trouble (KafkaConsumer *self)
{
  return trouble_text (self->trouble);
}

guint
kafka_consumer_breaks (KafkaConsumer *self)
{
  return watch_breaks (self->watch);
}

gboolean
kafka_consumer_joined (KafkaConsumer *self)
{
  return atomic_load (&self->joined);
}
