/* Length: a message, a topic and a stretch are read by one consumer, whose parts they share. */
#include "kafka/reader.h"
#include "base/clock.h"
#include "kafka/fetcher.h"
#include "kafka/message_raw.h"
#include "kafka/unread.h"

#define MESSAGE_MS 10000

/* A consumer without a group, reading some partitions of one topic through one queue. */
typedef struct {
  rd_kafka_t *rk;
  rd_kafka_topic_t *topic;
  rd_kafka_queue_t *queue;
  Fetcher *fetcher;
  FetcherCount count;
  const char *const *settings;
  const char *name;
  int timeout_ms;
  gint64 deadline_us;
} TopicReader;

typedef struct {
  gint64 next, end; /* what is still to be read: [next, end) */
  gboolean started;
  gboolean reached; /* a young enough message was found: it and all behind it count */
  gint64 again;     /* reading has begun again here, as a batch could be unpacked after all; -1 */
} Range;

static void
reader_free (TopicReader *reader)
{
  fetcher_free (reader->fetcher);
  if (reader->queue != NULL)
    rd_kafka_queue_destroy (reader->queue);
  if (reader->topic != NULL)
    rd_kafka_topic_destroy (reader->topic);
  if (reader->rk != NULL)
    rd_kafka_destroy (reader->rk);
  g_free (reader);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TopicReader, reader_free)

/* Restarts the time-out. */
static void
restart_timeout (TopicReader *reader)
{
  reader->deadline_us = clock_monotonic_us () + (gint64)reader->timeout_ms * 1000;
}

static TopicReader *
reader_new (const char *const *settings, const char *topic, int timeout_ms, GError **error)
{
  static const char *const wanted[] = { "allow.auto.create.topics",
                                        "false",
                                        "fetch.message.max.bytes",
                                        "1048576",
                                        "queued.max.messages.kbytes",
                                        "4096",
                                        "topic.metadata.propagation.max.ms",
                                        "0",
                                        NULL };
  static const char *const fixed[] = { "enable.partition.eof", "true", NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, fixed, error);
  if (conf == NULL)
    return NULL;
  /* An offset outside the log must be an error here, whatever [kafka] sets for the consumer. */
  rd_kafka_conf_set (conf, "auto.offset.reset", "error", NULL, 0);
  g_autoptr (TopicReader) reader = g_new0 (TopicReader, 1);
  reader->settings = settings;
  reader->name = topic;
  reader->timeout_ms = timeout_ms;
  restart_timeout (reader);
  reader->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  if (reader->rk == NULL)
    return NULL;
  reader->topic = rd_kafka_topic_new (reader->rk, topic, NULL);
  if (reader->topic == NULL)
    return error_null (error, PRUNED_REJECT, "%s is not a valid topic name", topic);
  reader->queue = rd_kafka_queue_new (reader->rk);
  reader->fetcher = fetcher_new (reader->rk);
  return g_steal_pointer (&reader);
}

static int
left_ms (const TopicReader *reader)
{
  return (int)CLAMP ((reader->deadline_us - clock_monotonic_us ()) / 1000, 0, G_MAXINT);
}

static gboolean
fail (TopicReader *reader, rd_kafka_resp_err_t err, GError **error)
{
  g_autofree char *where = kafka_where (reader->rk);
  kafka_set_error (error, err, "%s: cannot read topic %s", where, reader->name);
  return FALSE;
}

static gboolean
count_partitions (TopicReader *reader, gint32 *n, GError **error)
{
  const struct rd_kafka_metadata *metadata = NULL;
  rd_kafka_resp_err_t err
      = rd_kafka_metadata (reader->rk, FALSE, reader->topic, &metadata, left_ms (reader));
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    err = metadata->topic_cnt == 1 ? metadata->topics[0].err
                                   : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    *n = metadata->topic_cnt == 1 ? metadata->topics[0].partition_cnt : 0;
    rd_kafka_metadata_destroy (metadata);
  }
  return err == RD_KAFKA_RESP_ERR_NO_ERROR ? TRUE : fail (reader, err, error);
}

static gboolean
bounds_of (TopicReader *reader, gint32 partition, Range *range, GError **error)
{
  gint64 low = 0, high = 0;
  rd_kafka_resp_err_t err
      = kafka_watermarks (reader->rk, reader->name, partition, reader->deadline_us, &low, &high);
  *range = (Range){ .next = low, .end = high, .again = -1 };
  return err == RD_KAFKA_RESP_ERR_NO_ERROR ? TRUE : fail (reader, err, error);
}

static rd_kafka_resp_err_t
offset_at (TopicReader *reader, gint32 partition, gint64 timestamp_ms, gint64 *offset)
{
  return kafka_offset_at (reader->rk, reader->name, partition, timestamp_ms, left_ms (reader),
                          offset);
}

/* Skips messages that are older by the broker's time index. A broker without one (the embedded one)
 * finds no message for any time, not even for 0; then all are read. */
static gboolean
skip_older (TopicReader *reader, gint32 partition, gint64 from_ms, Range *range, GError **error)
{
  gint64 offset = -1, first = -1;
  rd_kafka_resp_err_t err = offset_at (reader, partition, from_ms, &offset);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR && offset < 0)
    err = offset_at (reader, partition, 0, &first);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
    return fail (reader, err, error);
  if (offset >= 0)
    range->next = MAX (range->next, offset);
  else if (first >= 0)
    range->next = range->end;
  return TRUE;
}

static gboolean
start (TopicReader *reader, gint32 partition, Range *range, GError **error)
{
  if (rd_kafka_consume_start_queue (reader->topic, partition, range->next, reader->queue) != 0)
    return fail (reader, rd_kafka_last_error (), error);
  range->started = TRUE;
  return TRUE;
}

static void
stop (TopicReader *reader, Range *ranges, gint32 n)
{
  for (gint32 i = 0; i < n; i++)
    if (ranges[i].started)
      rd_kafka_consume_stop (reader->topic, i);
}

/* --- one message --- */

/* Waits for the message, the end of the partition or an error, whichever comes first. */
static KafkaMessage *
first_message (TopicReader *reader, gint64 offset, GError **error)
{
  rd_kafka_message_t *raw = rd_kafka_consume_queue (reader->queue, left_ms (reader));
  if (raw == NULL) {
    fail (reader, RD_KAFKA_RESP_ERR__TIMED_OUT, error);
    return NULL;
  }
  rd_kafka_resp_err_t err = raw->err;
  KafkaMessage *message = NULL;
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR && raw->offset == offset)
    message = kafka_message_from (raw);
  rd_kafka_message_destroy (raw);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR && err != RD_KAFKA_RESP_ERR__PARTITION_EOF
      && err != RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET
      && err != RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE)
    fail (reader, err, error);
  return message;
}

KafkaMessage *
kafka_read_message (const char *const *settings, const char *topic, gint32 partition, gint64 offset,
                    GError **error)
{
  g_autoptr (TopicReader) reader = reader_new (settings, topic, MESSAGE_MS, error);
  Range range;
  gint32 n = 0;
  if (reader == NULL || !count_partitions (reader, &n, error))
    return NULL;
  if (partition < 0 || partition >= n || offset < 0)
    return NULL;
  if (!bounds_of (reader, partition, &range, error))
    return NULL;
  if (offset < range.next || offset >= range.end)
    return NULL;
  range.next = offset;
  if (!start (reader, partition, &range, error))
    return NULL;
  KafkaMessage *message = first_message (reader, offset, error);
  rd_kafka_consume_stop (reader->topic, partition);
  return message;
}

gboolean
kafka_message_timestamp (const char *const *settings, const char *topic, gint32 partition,
                         gint64 offset, gint64 *timestamp_ms, GError **error)
{
  GError *cause = NULL;
  g_autoptr (KafkaMessage) message
      = kafka_read_message (settings, topic, partition, offset, &cause);
  if (message != NULL)
    *timestamp_ms = message->timestamp_ms;
  else if (cause != NULL && cause->code == PRUNED_REJECT)
    g_clear_error (&cause);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return message != NULL;
}

/* --- a whole topic --- */

typedef struct {
  gint64 from_ms;
  const KafkaVisitor *visitor;
  Range *ranges;
  gint32 n;
  gint32 unfinished;
} Reading;

static gboolean
plan (TopicReader *reader, Reading *reading, GError **error)
{
  for (gint32 i = 0; i < reading->n; i++) {
    Range *range = &reading->ranges[i];
    if (!bounds_of (reader, i, range, error))
      return FALSE;
    if (reading->from_ms >= 0 && range->next < range->end
        && !skip_older (reader, i, reading->from_ms, range, error))
      return FALSE;
    if (range->next >= range->end)
      continue;
    if (!start (reader, i, range, error))
      return FALSE;
    reading->unfinished++;
  }
  return TRUE;
}

/* Offsets can have gaps: a range is finished by a message at or behind its end, or by EOF. */
static void
advance (Reading *reading, gint32 partition, gint64 next)
{
  Range *range = &reading->ranges[partition];
  if (range->next < range->end && next >= range->end)
    reading->unfinished--;
  range->next = MAX (range->next, next);
}

/* Passes the message to the visitor if it counts. FALSE: the visitor wants no more. */
static gboolean
show (Reading *reading, const rd_kafka_message_t *raw)
{
  Range *range = &reading->ranges[raw->partition];
  if (raw->offset >= range->end)
    return TRUE;
  g_autoptr (KafkaMessage) message = kafka_message_from (raw);
  range->reached = range->reached || message->timestamp_ms >= reading->from_ms;
  return !range->reached || reading->visitor->visit (message, reading->visitor->data);
}

static gboolean
fail_at (TopicReader *reader, const rd_kafka_message_t *raw, GError **error)
{
  g_autofree char *where = kafka_where (reader->rk);
  kafka_set_error (error, raw->err,
                   "%s: cannot read topic %s, partition %d, offset %" G_GINT64_FORMAT, where,
                   reader->name, raw->partition, (gint64)raw->offset);
  return FALSE;
}

/* Goes on behind the batch that RAW reports, or reads it once more if it can be unpacked now. */
static gboolean
pass_over (TopicReader *reader, Reading *reading, const rd_kafka_message_t *raw, GError **error)
{
  Range *range = &reading->ranges[raw->partition];
  KafkaStretch batch;
  if (reading->visitor->pass_over == NULL)
    return fail_at (reader, raw, error);
  if (!kafka_unread_batch (reader->settings, reader->name, raw->partition, raw->offset, &batch,
                           error))
    return FALSE;
  batch.from = MAX (batch.from, range->next);
  batch.to = MIN (batch.to, range->end);
  if (batch.from < batch.to)
    reading->visitor->pass_over (&batch, reading->visitor->data);
  else if (range->again == range->next)
    return fail_at (reader, raw, error);
  range->again = range->next;
  rd_kafka_consume_stop (reader->topic, raw->partition);
  range->started = FALSE;
  advance (reading, raw->partition, batch.to);
  return range->next >= range->end || start (reader, raw->partition, range, error);
}

/* *WANTS_MORE: FALSE once the visitor wants none. */
static gboolean
read_one (TopicReader *reader, Reading *reading, const rd_kafka_message_t *raw,
          gboolean *wants_more, GError **error)
{
  switch (raw->err) {
  case RD_KAFKA_RESP_ERR_NO_ERROR:
    *wants_more = show (reading, raw);
    fetcher_taken (reader->fetcher, &reader->count, 1, raw->len + raw->key_len);
    advance (reading, raw->partition, raw->offset + 1);
    return TRUE;
  case RD_KAFKA_RESP_ERR__PARTITION_EOF:
    advance (reading, raw->partition, MAX (raw->offset, reading->ranges[raw->partition].end));
    return TRUE;
  case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    if (raw->offset < reading->ranges[raw->partition].end)
      return pass_over (reader, reading, raw, error);
    advance (reading, raw->partition, raw->offset);
    return TRUE;
  default:
    return fail (reader, raw->err, error);
  }
}

static gboolean
read_on (TopicReader *reader, Reading *reading, GError **error)
{
  gboolean wants_more = TRUE, ok = TRUE;
  while (reading->unfinished > 0 && wants_more && ok) {
    restart_timeout (reader); /* the visitor's own time does not count */
    rd_kafka_message_t *raw = rd_kafka_consume_queue (reader->queue, left_ms (reader));
    if (raw == NULL)
      return fail (reader, RD_KAFKA_RESP_ERR__TIMED_OUT, error);
    ok = read_one (reader, reading, raw, &wants_more, error);
    rd_kafka_message_destroy (raw);
  }
  return ok;
}

gboolean
kafka_read_topic (const char *const *settings, const char *topic, gint64 from_timestamp_ms,
                  int timeout_ms, const KafkaVisitor *visitor, GError **error)
{
  g_autoptr (TopicReader) reader = reader_new (settings, topic, timeout_ms, error);
  Reading reading = { .from_ms = from_timestamp_ms, .visitor = visitor };
  if (reader == NULL || !count_partitions (reader, &reading.n, error))
    return FALSE;
  g_autofree Range *ranges = g_new0 (Range, reading.n);
  reading.ranges = ranges;
  gboolean done = plan (reader, &reading, error) && read_on (reader, &reading, error);
  stop (reader, ranges, reading.n);
  return done;
}

/* --- a part of a partition --- */

static gboolean
plan_stretch (TopicReader *reader, Reading *reading, const KafkaStretch *stretch, GError **error)
{
  if (stretch->partition < 0 || stretch->partition >= reading->n)
    return fail (reader, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, error);
  Range *range = &reading->ranges[stretch->partition];
  if (!bounds_of (reader, stretch->partition, range, error))
    return FALSE;
  range->next = MAX (range->next, stretch->from);
  range->end = MIN (range->end, stretch->to);
  if (range->next >= range->end)
    return TRUE;
  reading->unfinished++;
  return start (reader, stretch->partition, range, error);
}

gboolean
kafka_read_stretch (const char *const *settings, const char *topic, const KafkaStretch *stretch,
                    int timeout_ms, const KafkaVisitor *visitor, GError **error)
{
  g_autoptr (TopicReader) reader = reader_new (settings, topic, timeout_ms, error);
  Reading reading = { .from_ms = -1, .visitor = visitor };
  if (reader == NULL || !count_partitions (reader, &reading.n, error))
    return FALSE;
  g_autofree Range *ranges = g_new0 (Range, reading.n);
  reading.ranges = ranges;
  gboolean done
      = plan_stretch (reader, &reading, stretch, error) && read_on (reader, &reading, error);
  stop (reader, ranges, reading.n);
  return done;
}
