#include "kafka/partition.h"
#include "base/clock.h"
#include "base/condition.h"
#include "kafka/message_raw.h"
#include "kafka/partition_private.h"
#include "kafka/partition_unread.h"
#include <stdatomic.h>

#define SEEK_WITHIN_US (10 * G_USEC_PER_SEC)
#define SEEK_AGAIN_US (2 * 1000)
#define SEEK_MS 1000
#define END_WITHIN_US (500 * 1000)
#define END_AGAIN_US (2 * 1000)

struct _KafkaPartition {
  atomic_int refs;
  PartitionOwner owner;
  rd_kafka_queue_t *queue; /* valid while assigned */
  char *topic;
  char *subject; /* of trouble */
  gint32 number;
  gpointer lane; /* these three are set before the queue can wake the lane */
  const KafkaHandlers *handlers;
  gpointer data;
  pthread_mutex_t lock; /* keeps the assignment from ending during a take or a store */
  pthread_cond_t ended;
  gboolean assigned;     /* under lock, as are these */
  gboolean repositioned; /* sought, and nothing taken since. The queue can have been full of
                            messages that the seek made stale, so the fetcher can have paused */
  FetcherCount count;
  gint64 unread; /* where a batch begins that could not be unpacked; -1: none */
};

KafkaPartition *
partition_new (const PartitionOwner *owner, rd_kafka_queue_t *queue, const char *topic,
               gint32 number)
{
  KafkaPartition *partition = g_new0 (KafkaPartition, 1);
  atomic_init (&partition->refs, 1);
  partition->owner = *owner;
  partition->queue = queue;
  partition->topic = g_strdup (topic);
  partition->subject = g_strdup_printf ("partition %s/%d", topic, number);
  partition->number = number;
  pthread_mutex_init (&partition->lock, NULL);
  condition_init (&partition->ended);
  partition->assigned = TRUE;
  partition->repositioned = TRUE;
  partition->unread = -1;
  return partition;
}

KafkaPartition *
kafka_partition_ref (KafkaPartition *partition)
{
  atomic_fetch_add (&partition->refs, 1);
  return partition;
}

void
kafka_partition_unref (KafkaPartition *partition)
{
  if (partition == NULL || atomic_fetch_sub (&partition->refs, 1) > 1)
    return;
  pthread_cond_destroy (&partition->ended);
  pthread_mutex_destroy (&partition->lock);
  g_free (partition->subject);
  g_free (partition->topic);
  g_free (partition);
}

/* Called under the queue's lock: see KafkaHandlers.wake. */
static void
on_arrival (rd_kafka_t *rk, void *opaque)
{
  KafkaPartition *partition = opaque;
  partition->handlers->wake (partition->lane, partition->data);
}

void
partition_begin (KafkaPartition *partition, gpointer lane, const KafkaHandlers *handlers,
                 gpointer data)
{
  partition->lane = lane;
  partition->handlers = handlers;
  partition->data = data;
  rd_kafka_queue_cb_event_enable (partition->queue, on_arrival, partition);
}

void
partition_hush (KafkaPartition *partition)
{
  rd_kafka_queue_cb_event_enable (partition->queue, NULL, NULL);
}

void
partition_end (KafkaPartition *partition)
{
  pthread_mutex_lock (&partition->lock);
  partition->assigned = FALSE;
  pthread_cond_broadcast (&partition->ended);
  pthread_mutex_unlock (&partition->lock);
  trouble_clear (partition->owner.trouble, partition->subject);
}

gpointer
partition_lane (KafkaPartition *partition)
{
  return partition->lane;
}

/* --- taking --- */

static void
note_trouble (KafkaPartition *partition, const rd_kafka_message_t *raw)
{
  g_autofree char *text = g_strdup_printf ("topic %s, partition %d: %s", partition->topic,
                                           partition->number, rd_kafka_message_errstr (raw));
  trouble_set (partition->owner.trouble, partition->subject, text);
}

/* TRUE: RAW was a message; *END becomes -1. At the end of the partition *END becomes its offset.
 * With the lock. */
static gboolean
receive (KafkaPartition *partition, const rd_kafka_message_t *raw, GPtrArray *out, gint64 *end)
{
  if (raw->err != RD_KAFKA_RESP_ERR_NO_ERROR && raw->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    note_trouble (partition, raw);
    if (raw->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION)
      partition->unread = raw->offset;
    return FALSE;
  }
  trouble_clear (partition->owner.trouble, partition->subject);
  partition->unread = -1;
  if (raw->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    *end = raw->offset;
    return FALSE;
  }
  g_ptr_array_add (out, kafka_message_from (raw));
  *end = -1;
  return TRUE;
}

guint
kafka_partition_take (KafkaPartition *partition, guint max, GPtrArray *out, gint64 *end)
{
  guint taken = 0;
  gsize bytes = 0;
  gint64 end_seen = -1;
  rd_kafka_message_t *raw;
  pthread_mutex_lock (&partition->lock);
  while (partition->assigned && taken < max
         && (raw = rd_kafka_consume_queue (partition->queue, 0)) != NULL) {
    if (receive (partition, raw, out, &end_seen)) {
      taken++;
      bytes += raw->len + raw->key_len;
    }
    rd_kafka_message_destroy (raw);
  }
  if (taken > 0) {
    partition->repositioned = FALSE;
    fetcher_taken (partition->owner.fetcher, &partition->count, taken, bytes);
  } else if (partition->repositioned && partition->assigned)
    fetcher_wake (partition->owner.fetcher);
  pthread_mutex_unlock (&partition->lock);
  if (end != NULL)
    *end = end_seen;
  return taken;
}

/* --- offsets --- */

static rd_kafka_topic_partition_list_t *
list_of (KafkaPartition *partition, gint64 offset)
{
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new (1);
  rd_kafka_topic_partition_list_add (list, partition->topic, partition->number)->offset = offset;
  return list;
}

gboolean
kafka_partition_store (KafkaPartition *partition, gint64 next)
{
  rd_kafka_topic_partition_list_t *list = list_of (partition, next);
  pthread_mutex_lock (&partition->lock);
  gboolean stored
      = partition->assigned
        && rd_kafka_offsets_store (partition->owner.rk, list) == RD_KAFKA_RESP_ERR_NO_ERROR;
  pthread_mutex_unlock (&partition->lock);
  rd_kafka_topic_partition_list_destroy (list);
  return stored;
}

static rd_kafka_resp_err_t
seek_once (KafkaPartition *partition, gint64 offset)
{
  rd_kafka_topic_partition_list_t *list = list_of (partition, offset);
  rd_kafka_error_t *failure = rd_kafka_seek_partitions (partition->owner.rk, list, SEEK_MS);
  rd_kafka_resp_err_t err = failure != NULL ? rd_kafka_error_code (failure) : list->elems[0].err;
  if (failure != NULL)
    rd_kafka_error_destroy (failure);
  rd_kafka_topic_partition_list_destroy (list);
  return err;
}

/* Fetching begins some time after rd_kafka_assign; a seek before that fails with one of these.
 */
static gboolean
not_yet (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR__STATE || err == RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS
         || err == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION || err == RD_KAFKA_RESP_ERR__TIMED_OUT
         || err == RD_KAFKA_RESP_ERR__IN_PROGRESS;
}

/* Waits PAUSE_US; FALSE: the assignment has ended. */
static gboolean
still_assigned_after (KafkaPartition *partition, gint64 pause_us)
{
  pthread_mutex_lock (&partition->lock);
  gint64 until_us = clock_monotonic_us () + pause_us;
  while (pause_us > 0 && partition->assigned
         && condition_wait (&partition->ended, &partition->lock, until_us))
    ;
  gboolean assigned = partition->assigned;
  pthread_mutex_unlock (&partition->lock);
  return assigned;
}

/* The log of the last fetch ends where the last message of TAKEN does. */
static gboolean
is_last (const KafkaPartition *partition, const GPtrArray *taken)
{
  const KafkaMessage *last = taken->pdata[taken->len - 1];
  return last->offset + 1 >= kafka_partition_end (partition);
}

guint
kafka_partition_take_to_end (KafkaPartition *partition, guint max, GPtrArray *out, gint64 *end)
{
  gint64 deadline_us = clock_monotonic_us () + END_WITHIN_US;
  guint taken = kafka_partition_take (partition, max, out, end);
  while (taken > 0 && taken < max && *end < 0 && !is_last (partition, out)
         && clock_monotonic_us () < deadline_us && still_assigned_after (partition, END_AGAIN_US))
    taken += kafka_partition_take (partition, max - taken, out, end);
  return taken;
}

gint64
kafka_partition_unread (KafkaPartition *partition)
{
  pthread_mutex_lock (&partition->lock);
  gint64 unread = partition->unread;
  partition->unread = -1;
  pthread_mutex_unlock (&partition->lock);
  return unread;
}

static void
note_repositioned (KafkaPartition *partition)
{
  pthread_mutex_lock (&partition->lock);
  partition->repositioned = TRUE;
  pthread_mutex_unlock (&partition->lock);
}

gboolean
kafka_partition_seek (KafkaPartition *partition, gint64 offset, GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + SEEK_WITHIN_US;
  rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR__STATE;
  gint64 pause_us = 0;
  while (still_assigned_after (partition, pause_us)) {
    err = seek_once (partition, offset);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      note_repositioned (partition);
      return TRUE;
    }
    if (!not_yet (err) || clock_monotonic_us () > deadline_us)
      break;
    pause_us = SEEK_AGAIN_US;
  }
  kafka_set_error (error, err, "cannot start topic %s, partition %d at offset %" G_GINT64_FORMAT,
                   partition->topic, partition->number, offset);
  return FALSE;
}

gboolean
kafka_partition_committed (KafkaPartition *partition, int timeout_ms, gint64 *offset,
                           GError **error)
{
  rd_kafka_topic_partition_list_t *list = list_of (partition, RD_KAFKA_OFFSET_INVALID);
  rd_kafka_resp_err_t err = rd_kafka_committed (partition->owner.rk, list, timeout_ms);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    err = list->elems[0].err;
  *offset = list->elems[0].offset >= 0 ? list->elems[0].offset : -1;
  rd_kafka_topic_partition_list_destroy (list);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  g_autofree char *where = kafka_where (partition->owner.rk);
  kafka_set_error (error, err, "%s: committed offset of topic %s, partition %d", where,
                   partition->topic, partition->number);
  return FALSE;
}

gint64
kafka_partition_end (const KafkaPartition *partition)
{
  int64_t first = -1, next = -1;
  rd_kafka_resp_err_t err = rd_kafka_get_watermark_offsets (partition->owner.rk, partition->topic,
                                                            partition->number, &first, &next);
  return err == RD_KAFKA_RESP_ERR_NO_ERROR ? next : -1;
}

/* How long a fetch can delay another request: the broker answers the requests of a connection in
 * order, and a fetch that waits for messages can be first. */
static gint64
fetch_wait_us (const KafkaPartition *partition)
{
  char text[32] = "";
  size_t size = sizeof text;
  rd_kafka_conf_res_t found
      = rd_kafka_conf_get (rd_kafka_conf (partition->owner.rk), "fetch.wait.max.ms", text, &size);
  return found == RD_KAFKA_CONF_OK ? g_ascii_strtoll (text, NULL, 10) * 1000 : 0;
}

gboolean
kafka_partition_watermarks (KafkaPartition *partition, int timeout_ms, gint64 *low, gint64 *high,
                            GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000
                       + (low != NULL ? 2 : 1) * fetch_wait_us (partition);
  rd_kafka_resp_err_t err = kafka_watermarks (partition->owner.rk, partition->topic,
                                              partition->number, deadline_us, low, high);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  g_autofree char *where = kafka_where (partition->owner.rk);
  kafka_set_error (error, err, "%s: watermarks of topic %s, partition %d", where, partition->topic,
                   partition->number);
  return FALSE;
}
