/* Against librdkafka's mock cluster: through src/kafka/embedded.c, and, to play failures, directly. */
#include "base/clock.h"
#include "kafka/kafka.h"
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define PATIENCE_US (30 * G_USEC_PER_SEC)

static KafkaEmbedded *kafka;

static void
settings_for (const char *settings[16], const char *bootstrap)
{
  const char *const all[] = { "bootstrap.servers",  bootstrap,
                              "session.timeout.ms", "6000",
                              "fetch.wait.max.ms",  "10",
                              NULL };
  memcpy (settings, all, sizeof all);
}

static void
settings_of (const char *settings[16])
{
  settings_for (settings, kafka_embedded_bootstrap (kafka));
}

static void
make_topic (const char *topic, gint32 partitions)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (kafka_embedded_topic (kafka, topic, partitions, &error));
  g_assert_no_error (error);
}

static KafkaProducer *
new_producer_for (const char *bootstrap)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_for (settings, bootstrap);
  KafkaProducer *producer = kafka_producer_new (settings, &error);
  g_assert_no_error (error);
  return producer;
}

static KafkaProducer *
new_producer (void)
{
  return new_producer_for (kafka_embedded_bootstrap (kafka));
}

static GPtrArray *
messages_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
}

static KafkaMessage *
numbered (const char *topic, gint32 partition, guint n)
{
  g_autofree char *text = g_strdup_printf ("%u", n);
  KafkaMessage *message = kafka_message_new (topic, partition);
  kafka_message_set_value (message, text, strlen (text));
  return message;
}

static void
publish (KafkaProducer *producer, GPtrArray *messages)
{
  g_autoptr (GError) error = NULL;
  if (!kafka_publish (producer, messages, 20000, NULL, &error))
    g_error ("not published: %s", error->message);
  g_assert_no_error (error);
  for (guint i = 0; i < messages->len; i++)
    g_assert_true (((KafkaMessage *)g_ptr_array_index (messages, i))->acked);
}

static void
publish_numbers (KafkaProducer *producer, const char *topic, gint32 partition, guint from, guint n)
{
  g_autoptr (GPtrArray) messages = messages_new ();
  for (guint i = from; i < from + n; i++)
    g_ptr_array_add (messages, numbered (topic, partition, i));
  publish (producer, messages);
}

/* --- a consumer with lanes, polled by the test ------------------------------------------------------- */

typedef struct {
  KafkaPartition *partition;
  char *topic;
  gint32 number;
  atomic_uint wakes;
  gboolean revoked, lost;
} Lane;

typedef struct {
  KafkaConsumer *consumer;
  GPtrArray *lanes; /* every Lane there was */
  guint ready;
  gint64 store_at_revoke; /* -1: nothing */
  gboolean stored_at_revoke;
} Member;

static gpointer
on_assigned (KafkaPartition *partition, const char *topic, gint32 number, gpointer data)
{
  Member *member = data;
  Lane *lane = g_new0 (Lane, 1);
  lane->partition = kafka_partition_ref (partition);
  lane->topic = g_strdup (topic);
  lane->number = number;
  g_ptr_array_add (member->lanes, lane);
  return lane;
}

static void
on_ready (gpointer data)
{
  ((Member *)data)->ready++;
}

static void
on_revoked (GPtrArray *lanes, gboolean lost, gpointer data)
{
  Member *member = data;
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = g_ptr_array_index (lanes, i);
    g_assert_false (lane->revoked);
    lane->revoked = TRUE;
    lane->lost = lost;
    if (member->store_at_revoke >= 0)
      member->stored_at_revoke = kafka_partition_store (lane->partition, member->store_at_revoke);
  }
}

static void
on_wake (gpointer data, gpointer member)
{
  atomic_fetch_add (&((Lane *)data)->wakes, 1);
}

static const KafkaHandlers handlers = { on_assigned, on_ready, on_revoked, on_wake };

static Member *
member_of (const char *bootstrap, const char *group, const char *const *topics)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_for (settings, bootstrap);
  Member *member = g_new0 (Member, 1);
  member->store_at_revoke = -1;
  member->lanes = g_ptr_array_new ();
  member->consumer = kafka_consumer_new (settings, group, topics, 8, &handlers, member, &error);
  g_assert_no_error (error);
  return member;
}

static Member *
member_new (const char *group, const char *topic, const char *other_topic)
{
  const char *const topics[] = { topic, other_topic, NULL };
  return member_of (kafka_embedded_bootstrap (kafka), group, topics);
}

static void
member_free (Member *member)
{
  kafka_consumer_close (member->consumer);
  for (guint i = 0; i < member->lanes->len; i++) {
    Lane *lane = g_ptr_array_index (member->lanes, i);
    g_assert_true (lane->revoked);
    kafka_partition_unref (lane->partition);
    g_free (lane->topic);
    g_free (lane);
  }
  kafka_consumer_free (member->consumer);
  g_ptr_array_unref (member->lanes);
  g_free (member);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Member, member_free)

static void
poll_once (Member *member)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (kafka_consumer_poll (member->consumer, 10, &error));
  g_assert_no_error (error);
}

static guint
count_held (const Member *member)
{
  guint held = 0;
  for (guint i = 0; i < member->lanes->len; i++)
    held += !((Lane *)g_ptr_array_index (member->lanes, i))->revoked;
  return held;
}

static void
poll_until_held (Member *member, guint wanted)
{
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (count_held (member) != wanted || !kafka_consumer_joined (member->consumer)) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    poll_once (member);
  }
}

/* Joining takes the mock cluster 3 s, so that tests which only read share one member. */
static Member *shared_member;

static Member *
shared (void)
{
  static const char *const topics[] = { "whole", "order", "wake", "many", "again", "seek", NULL };
  if (shared_member != NULL)
    return shared_member;
  for (guint i = 0; topics[i] != NULL; i++)
    make_topic (topics[i], 4);
  shared_member = member_of (kafka_embedded_bootstrap (kafka), "shared", topics);
  poll_until_held (shared_member, 24);
  return shared_member;
}

static Lane *
lane_of (Member *member, const char *topic, gint32 number)
{
  for (guint i = member->lanes->len; i-- > 0;) {
    Lane *lane = g_ptr_array_index (member->lanes, i);
    if (!lane->revoked && g_str_equal (lane->topic, topic) && lane->number == number)
      return lane;
  }
  g_assert_not_reached ();
}

/* Takes until N messages are there, and if END is not -1 until the end of the partition is reached there. */
static GPtrArray *
take_to (Member *member, Lane *lane, guint n, gint64 end)
{
  GPtrArray *out = messages_new ();
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US, at = -1;
  while (out->len < n || at != end) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    guint before = out->len;
    kafka_partition_take (lane->partition, MIN (n - out->len + 1, 100), out, &at);
    if (out->len == before)
      poll_once (member);
  }
  g_assert_cmpuint (out->len, ==, n);
  return out;
}

static GPtrArray *
take (Member *member, Lane *lane, guint n)
{
  GPtrArray *out = messages_new ();
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (out->len < n) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    if (kafka_partition_take (lane->partition, MIN (n - out->len, 100), out, NULL) == 0)
      poll_once (member);
  }
  return out;
}

static void
assert_numbers (const GPtrArray *messages, guint from)
{
  for (guint i = 0; i < messages->len; i++) {
    const KafkaMessage *message = g_ptr_array_index (messages, i);
    g_assert_cmpuint (g_ascii_strtoull ((char *)message->value, NULL, 10), ==, from + i);
  }
}

/* --- messages ----------------------------------------------------------------------------------------- */

static void
test_message_copy_is_equal (void)
{
  g_autoptr (KafkaMessage) message = kafka_message_new ("t", 3);
  kafka_message_set_key (message, "one");
  kafka_message_set_key (message, "key");
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)"a\0b", 3);
  kafka_message_take_value (message, bytes);
  kafka_message_add_header (message, "h", "v");
  kafka_message_add_header (message, "null", NULL);
  g_autoptr (KafkaMessage) copy = kafka_message_copy (message);
  g_assert_cmpstr (copy->topic, ==, "t");
  g_assert_cmpint (copy->partition, ==, 3);
  g_assert_cmpmem (copy->key, copy->key_len, "key", 3);
  g_assert_cmpmem (copy->value, copy->value_len, "a\0b", 3);
  g_assert_cmpuint (copy->n_headers, ==, 2);
  g_assert_cmpstr (kafka_message_header (copy, "h")->value, ==, "v");
  g_assert_null (kafka_message_header (copy, "null")->value);
  g_assert_null (kafka_message_header (copy, "H"));
}

static void
test_message_empty_value_is_no_tombstone (void)
{
  g_autoptr (KafkaMessage) message = kafka_message_new ("t", 0);
  g_assert_null (message->value);
  kafka_message_take_value (message, g_byte_array_new ());
  g_assert_nonnull (message->value);
  g_assert_cmpuint (message->value_len, ==, 0);
  kafka_message_set_value (message, NULL, 0);
  g_assert_null (message->value);
}

/* --- settings ----------------------------------------------------------------------------------------- */

static void
assert_refused (const char *name, const char *value, const char *words)
{
  g_autoptr (GError) error = NULL;
  const char *const settings[] = { "bootstrap.servers", "127.0.0.1:1", name, value, NULL };
  const char *const topics[] = { "t", NULL };
  g_assert_null (kafka_consumer_new (settings, "g", topics, 1, &handlers, NULL, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_nonnull (strstr (error->message, name));
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_settings_refused (void)
{
  assert_refused ("bootstrap.severs", "x", "No such configuration property");
  assert_refused ("enable.auto.commit", "true", "only false works");
  assert_refused ("session.timeout.ms", "soon", "Invalid value");
}

static void
test_settings_spelled_otherwise_are_taken (void)
{
  g_autoptr (GError) error = NULL;
  const char *const settings[] = { "bootstrap.servers", "127.0.0.1:1", "acks",      "all",
                                   "compression.type",  "lz4",         "linger.ms", "5",
                                   NULL };
  g_autoptr (KafkaProducer) producer = kafka_producer_new (settings, &error);
  g_assert_no_error (error);
  g_assert_nonnull (producer);
}

/* --- the way there and back --------------------------------------------------------------------------- */

static void
test_everything_of_a_message_arrives (void)
{
  Member *member = shared ();
  g_autoptr (KafkaProducer) producer = new_producer ();
  g_autoptr (GPtrArray) sent = messages_new ();
  KafkaMessage *full = numbered ("whole", 1, 7);
  kafka_message_set_key (full, "key");
  kafka_message_add_header (full, "ce_type", "pruned.Tick");
  kafka_message_add_header (full, "empty", "");
  kafka_message_add_header (full, "null", NULL);
  g_ptr_array_add (sent, full);
  g_ptr_array_add (sent, kafka_message_new ("whole", 1)); /* a tombstone without a key */
  KafkaMessage *empty = kafka_message_new ("whole", 1);
  kafka_message_set_value (empty, "", 0);
  kafka_message_set_key (empty, "");
  g_ptr_array_add (sent, empty);
  gint64 before_ms = clock_now_us () / 1000;
  publish (producer, sent);
  g_assert_cmpint (full->offset, ==, 0);
  g_assert_cmpint (empty->offset, ==, 2);

  g_autoptr (GPtrArray) got = take_to (member, lane_of (member, "whole", 1), 3, 3);
  const KafkaMessage *first = g_ptr_array_index (got, 0);
  g_assert_cmpstr (first->topic, ==, "whole");
  g_assert_cmpint (first->partition, ==, 1);
  g_assert_cmpint (first->offset, ==, 0);
  g_assert_cmpint (first->timestamp_ms, >=, before_ms);
  g_assert_cmpmem (first->key, first->key_len, "key", 3);
  g_assert_cmpmem (first->value, first->value_len, "7", 1);
  g_assert_cmpuint (first->n_headers, ==, 3);
  g_assert_cmpstr (kafka_message_header (first, "ce_type")->value, ==, "pruned.Tick");
  g_assert_cmpstr (kafka_message_header (first, "empty")->value, ==, "");
  g_assert_null (kafka_message_header (first, "null")->value);
  const KafkaMessage *tombstone = g_ptr_array_index (got, 1);
  g_assert_null (tombstone->value);
  g_assert_null (tombstone->key);
  g_assert_cmpuint (tombstone->n_headers, ==, 0);
  const KafkaMessage *blank = g_ptr_array_index (got, 2);
  g_assert_nonnull (blank->value);
  g_assert_cmpuint (blank->value_len, ==, 0);
  g_assert_nonnull (blank->key);

  /* A received message is a block; it can be changed and copied all the same. */
  KafkaMessage *changed = g_ptr_array_index (got, 0);
  kafka_message_set_key (changed, "other");
  kafka_message_add_header (changed, "pruned_reason", "because");
  kafka_message_set_value (changed, "new", 3);
  g_autoptr (KafkaMessage) copy = kafka_message_copy (changed);
  g_assert_cmpmem (copy->key, copy->key_len, "other", 5);
  g_assert_cmpuint (copy->n_headers, ==, 4);
  g_assert_cmpstr (kafka_message_header (copy, "ce_type")->value, ==, "pruned.Tick");
}

static void
test_order_holds_within_a_partition (void)
{
  Member *member = shared ();
  g_autoptr (KafkaProducer) producer = new_producer ();
  for (guint i = 0; i < 20; i++)
    publish_numbers (producer, "order", 0, i * 500, 500);
  g_autoptr (GPtrArray) got = take (member, lane_of (member, "order", 0), 10000);
  assert_numbers (got, 0);
}

static void
test_an_empty_mailbox_wakes_its_lane (void)
{
  Member *member = shared ();
  g_autoptr (KafkaProducer) producer = new_producer ();
  g_assert_cmpuint (member->ready, >, 0);
  Lane *lane = lane_of (member, "wake", 0), *other = lane_of (member, "wake", 1);
  g_autoptr (GPtrArray) nothing = take_to (member, lane, 0, 0);
  g_autoptr (GPtrArray) nothing_there = take_to (member, other, 0, 0);
  guint before = atomic_load (&lane->wakes), before_other = atomic_load (&other->wakes);
  publish_numbers (producer, "wake", 0, 0, 1);
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (atomic_load (&lane->wakes) == before) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    poll_once (member);
  }
  g_autoptr (GPtrArray) got = take (member, lane, 1);
  assert_numbers (got, 0);
  g_assert_cmpuint (atomic_load (&other->wakes), ==, before_other);
}

/* --- the producer -------------------------------------------------------------------------------------- */

typedef struct {
  KafkaProducer *producer;
  gint32 partition;
  guint batches;
} Publisher;

static void *
publish_on_and_on (void *data)
{
  Publisher *publisher = data;
  for (guint i = 0; i < publisher->batches; i++)
    publish_numbers (publisher->producer, "many", publisher->partition, i * 50, 50);
  return NULL;
}

static void
test_many_threads_publish_through_one_producer (void)
{
  Member *member = shared ();
  g_autoptr (KafkaProducer) producer = new_producer ();
  pthread_t threads[4];
  Publisher publishers[4];
  for (guint i = 0; i < 4; i++) {
    publishers[i] = (Publisher){ producer, i, 40 };
    g_assert_cmpint (pthread_create (&threads[i], NULL, publish_on_and_on, &publishers[i]), ==, 0);
  }
  for (guint i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GPtrArray) got = take_to (member, lane_of (member, "many", i), 2000, 2000);
    assert_numbers (got, 0);
  }
}

static void
test_what_is_acknowledged_is_not_sent_again (void)
{
  Member *member = shared ();
  g_autoptr (KafkaProducer) producer = new_producer ();
  g_autoptr (GPtrArray) messages = messages_new ();
  g_ptr_array_add (messages, numbered ("again", 0, 0));
  publish (producer, messages);
  g_ptr_array_add (messages, numbered ("again", 0, 1));
  publish (producer, messages);
  publish (producer, messages);
  KafkaMessage *second = g_ptr_array_index (messages, 1);
  g_assert_cmpint (second->offset, ==, 1);
  g_autoptr (GPtrArray) got = take_to (member, lane_of (member, "again", 0), 2, 2);
}

static void
assert_publish_fails (KafkaProducer *producer, KafkaMessage *message, int timeout_ms,
                      const volatile gint *stop, PrunedVerdict verdict, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = messages_new ();
  g_ptr_array_add (messages, message);
  g_assert_false (kafka_publish (producer, messages, timeout_ms, stop, &error));
  g_assert_error (error, PRUNED_ERROR, (int)verdict);
  g_assert_false (message->acked);
  if (strstr (error->message, words) == NULL)
    g_error ("'%s' is not in '%s'", words, error->message);
}

static KafkaMessage *
too_large (const char *topic)
{
  KafkaMessage *message = kafka_message_new (topic, 0);
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_set_size (bytes, 11 * 1024 * 1024);
  memset (bytes->data, 'x', bytes->len);
  kafka_message_take_value (message, bytes);
  return message;
}

static void
test_a_message_that_is_too_large_is_at_fault_itself (void)
{
  make_topic ("large", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  assert_publish_fails (producer, too_large ("large"), -1, NULL, PRUNED_DATA, "topic large");

  /* Its neighbours are told from it. */
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = messages_new ();
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (messages, i == 1 ? too_large ("large") : numbered ("large", 0, i));
  g_assert_false (kafka_publish (producer, messages, -1, NULL, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_DATA);
  for (guint i = 0; i < 3; i++) {
    KafkaMessage *message = g_ptr_array_index (messages, i);
    g_assert_cmpint (message->acked, ==, i != 1);
  }
}

static void
test_a_partition_that_is_not_there_fails_at_once (void)
{
  make_topic ("narrow", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "narrow", 0, 0, 1);
  assert_publish_fails (producer, numbered ("narrow", 5, 0), -1, NULL, PRUNED_OUTAGE, "topic narrow");
}

static KafkaProducer *
producer_without_broker (void)
{
  g_autoptr (GError) error = NULL;
  const char *const settings[] = { "bootstrap.servers", "127.0.0.1:9", NULL };
  KafkaProducer *producer = kafka_producer_new (settings, &error);
  g_assert_no_error (error);
  return producer;
}

static void
test_without_a_broker_time_is_over (void)
{
  g_autoptr (KafkaProducer) producer = producer_without_broker ();
  gint64 start_us = clock_monotonic_us ();
  assert_publish_fails (producer, numbered ("t", 0, 0), 300, NULL, PRUNED_OUTAGE, "127.0.0.1:9");
  gint64 spent_us = clock_monotonic_us () - start_us;
  g_assert_cmpint (spent_us, >=, 300 * 1000);
  g_assert_cmpint (spent_us, <, 3 * G_USEC_PER_SEC);
  /* The connection's error is told on a thread of its own. */
  while (kafka_producer_is_up (producer) && clock_monotonic_us () < start_us + 20 * G_USEC_PER_SEC)
    g_usleep (10000);
  g_assert_false (kafka_producer_is_up (producer));
}

static void *
stop_soon (void *data)
{
  g_usleep (100 * 1000); /* the publishing is to be under way; earlier would only make it easier */
  g_atomic_int_set ((gint *)data, TRUE);
  return NULL;
}

static void
test_publishing_stops_when_told (void)
{
  g_autoptr (KafkaProducer) producer = producer_without_broker ();
  gint stop = FALSE;
  pthread_t thread;
  g_assert_cmpint (pthread_create (&thread, NULL, stop_soon, &stop), ==, 0);
  assert_publish_fails (producer, numbered ("t", 0, 0), -1, &stop, PRUNED_OUTAGE, "stopped waiting");
  pthread_join (thread, NULL);
}

/* --- offsets ------------------------------------------------------------------------------------------- */

static gint64
committed (Lane *lane)
{
  g_autoptr (GError) error = NULL;
  gint64 offset = -2;
  g_assert_true (kafka_partition_committed (lane->partition, 10000, &offset, &error));
  g_assert_no_error (error);
  return offset;
}

static void
test_offsets_are_committed_when_stored (void)
{
  g_autoptr (GError) error = NULL;
  make_topic ("commit", 2);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "commit", 0, 0, 10);
  {
    g_autoptr (Member) member = member_new ("commit", "commit", NULL);
    poll_until_held (member, 2);
    Lane *lane = lane_of (member, "commit", 0);
    g_autoptr (GPtrArray) got = take (member, lane, 10);
    g_assert_cmpint (committed (lane), ==, -1);
    g_assert_true (kafka_consumer_commit (member->consumer, TRUE, &error)); /* nothing stored */
    g_assert_cmpint (committed (lane), ==, -1);
    g_assert_true (kafka_partition_store (lane->partition, 4));
    g_assert_true (kafka_consumer_commit (member->consumer, TRUE, &error));
    g_assert_no_error (error);
    g_assert_cmpint (committed (lane), ==, 4);
    gint64 low = -1, high = -1;
    g_assert_true (kafka_partition_watermarks (lane->partition, 5000, &low, &high, &error));
    g_assert_cmpint (low, ==, 0);
    g_assert_cmpint (high, ==, 10);
  }
  g_autoptr (Member) next = member_new ("commit", "commit", NULL);
  poll_until_held (next, 2);
  g_autoptr (GPtrArray) rest = take_to (next, lane_of (next, "commit", 0), 6, 10);
  assert_numbers (rest, 4);
}

static void
test_what_is_stored_at_a_revoke_is_committed_and_nothing_after (void)
{
  make_topic ("revoke", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "revoke", 0, 0, 10);
  Member *member = member_new ("revoke", "revoke", NULL);
  poll_until_held (member, 1);
  Lane *lane = lane_of (member, "revoke", 0);
  g_autoptr (GPtrArray) got = take (member, lane, 10);
  member->store_at_revoke = 7;
  kafka_consumer_close (member->consumer);
  g_assert_true (member->stored_at_revoke);
  g_assert_true (lane->revoked);
  g_assert_false (lane->lost);
  g_assert_false (kafka_partition_store (lane->partition, 9));
  g_assert_cmpuint (kafka_partition_take (lane->partition, 10, got, NULL), ==, 0);
  g_autoptr (GError) error = NULL;
  g_assert_false (kafka_partition_seek (lane->partition, 0, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  member_free (member);
  g_autoptr (Member) next = member_new ("revoke", "revoke", NULL);
  poll_until_held (next, 1);
  g_assert_cmpint (committed (lane_of (next, "revoke", 0)), ==, 7);
}

static void
test_an_older_assignment_stores_nothing_in_a_newer_one (void)
{
  make_topic ("epoch", 2);
  g_autoptr (Member) member = member_new ("epoch", "epoch", NULL);
  poll_until_held (member, 2);
  Lane *old = lane_of (member, "epoch", 0);
  {
    g_autoptr (Member) peer = member_new ("epoch", "epoch", NULL);
    gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
    while (count_held (member) != 1 || count_held (peer) != 1) {
      g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
      poll_once (member);
      poll_once (peer);
    }
  }
  poll_until_held (member, 2);
  g_assert_true (old->revoked);
  g_assert_false (kafka_partition_store (old->partition, 1));
  g_assert_true (kafka_partition_store (lane_of (member, "epoch", 0)->partition, 1));
}

static void
test_a_seek_is_followed_by_its_offset_only (void)
{
  enum { N = 3000 };
  Member *member = shared ();
  g_autoptr (KafkaProducer) producer = new_producer ();
  for (guint i = 0; i < N; i += 500)
    publish_numbers (producer, "seek", 0, i, 500);
  Lane *lane = lane_of (member, "seek", 0);
  g_autoptr (GError) error = NULL;
  GRand *random = g_rand_new_with_seed (20260101);
  for (guint i = 0; i < 1000; i++) {
    guint start = g_rand_int_range (random, 0, N - 10);
    g_assert_true (kafka_partition_seek (lane->partition, start, &error));
    g_assert_no_error (error);
    g_autoptr (GPtrArray) got = take (member, lane, g_rand_int_range (random, 1, 10));
    assert_numbers (got, start);
  }
  g_rand_free (random);
}

static void
test_a_seek_right_after_the_assignment_holds (void)
{
  make_topic ("early", 1);
  make_topic ("outside", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "early", 0, 0, 100);
  publish_numbers (producer, "outside", 0, 0, 5);
  g_autoptr (GError) error = NULL;
  g_autoptr (Member) member = member_new ("early", "early", "outside");
  poll_until_held (member, 2);
  Lane *lane = lane_of (member, "early", 0), *outside = lane_of (member, "outside", 0);
  g_assert_true (kafka_partition_seek (lane->partition, 42, &error));
  g_assert_no_error (error);
  g_assert_true (kafka_partition_seek (outside->partition, 1000, &error));
  g_assert_no_error (error);
  g_autoptr (GPtrArray) got = take_to (member, lane, 58, 100);
  assert_numbers (got, 42);
  /* Outside of the log: the earliest. */
  g_autoptr (GPtrArray) all = take_to (member, outside, 5, 5);
  assert_numbers (all, 0);
}

/* --- the group ------------------------------------------------------------------------------------------ */

/* --- failures, played by a cluster of the test's own ------------------------------------------------------ */

typedef struct {
  rd_kafka_t *rk;
  rd_kafka_mock_cluster_t *mock;
  const char *bootstrap;
} Stage;

static Stage
stage_new (const char *topic, int partitions)
{
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_conf_set_log_cb (conf, NULL);
  rd_kafka_t *rk = rd_kafka_new (RD_KAFKA_PRODUCER, conf, NULL, 0);
  rd_kafka_mock_cluster_t *mock = rd_kafka_mock_cluster_new (rk, 1);
  g_assert_cmpint (rd_kafka_mock_topic_create (mock, topic, partitions, 1), ==, 0);
  return (Stage){ rk, mock, rd_kafka_mock_cluster_bootstraps (mock) };
}

static void
stage_free (Stage *stage)
{
  rd_kafka_mock_cluster_destroy (stage->mock);
  rd_kafka_destroy (stage->rk);
}

static void
poll_until_trouble (Member *member, const char *words)
{
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  for (;;) {
    g_autofree char *trouble = kafka_consumer_trouble (member->consumer);
    if (words == NULL ? trouble == NULL : trouble != NULL && strstr (trouble, words) != NULL)
      return;
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    poll_once (member);
  }
}

static void
test_a_topic_made_later_is_consumed (void)
{
  Stage stage = stage_new ("sooner", 1);
  g_assert_cmpint (rd_kafka_mock_topic_create (stage.mock, "later", 2, 1), ==, 0);
  rd_kafka_mock_topic_set_error (stage.mock, "later", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const char *const topics[] = { "sooner", "later", NULL };
  Member *member = member_of (stage.bootstrap, "later", topics);
  poll_until_held (member, 1);
  poll_until_trouble (member, "later");
  rd_kafka_mock_topic_set_error (stage.mock, "later", RD_KAFKA_RESP_ERR_NO_ERROR);
  poll_until_held (member, 3);
  poll_until_trouble (member, NULL);
  member_free (member);
  stage_free (&stage);
}

static void
await_up (KafkaProducer *producer, gboolean up)
{
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (kafka_producer_is_up (producer) != up) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    g_usleep (1000);
  }
}

static void
test_a_broker_comes_back (void)
{
  Stage stage = stage_new ("back", 1);
  const char *const topics[] = { "back", NULL };
  Member *member = member_of (stage.bootstrap, "back", topics);
  KafkaProducer *producer = new_producer_for (stage.bootstrap);
  publish_numbers (producer, "back", 0, 0, 1);
  poll_until_held (member, 1);

  rd_kafka_mock_broker_set_down (stage.mock, 1);
  poll_until_trouble (member, "does not answer");
  assert_publish_fails (producer, numbered ("back", 0, 9), 300, NULL, PRUNED_OUTAGE, "topic back");
  await_up (producer, FALSE);

  rd_kafka_mock_broker_set_up (stage.mock, 1);
  poll_until_trouble (member, NULL);
  await_up (producer, TRUE); /* without anything being sent */
  publish_numbers (producer, "back", 0, 1, 1);
  g_autoptr (GPtrArray) first = take (member, lane_of (member, "back", 0), 1);
  assert_numbers (first, 0);
  member_free (member);
  kafka_producer_free (producer);
  stage_free (&stage);
}

/* The topic is not forbidden for ever: librdkafka asks again every few seconds. */
static void
publish_until_taken (KafkaProducer *producer, KafkaMessage *message)
{
  g_autoptr (GPtrArray) messages = messages_new ();
  g_ptr_array_add (messages, message);
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (!kafka_publish (producer, messages, 1000, NULL, NULL)) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    g_usleep (10000);
  }
}

/* The broker's answer to one message; the next one goes through. */
static void
assert_broker_refuses (rd_kafka_resp_err_t answer, PrunedVerdict verdict, const char *words)
{
  Stage stage = stage_new ("secret", 1);
  KafkaProducer *producer = new_producer_for (stage.bootstrap);
  publish_numbers (producer, "secret", 0, 0, 1);
  rd_kafka_mock_push_request_errors (stage.mock, 0 /* Produce */, 1, answer);
  assert_publish_fails (producer, numbered ("secret", 0, 1), -1, NULL, verdict, words);
  publish_until_taken (producer, numbered ("secret", 0, 1));
  kafka_producer_free (producer);
  stage_free (&stage);
}

static void
test_what_the_broker_refuses_fails_at_once (void)
{
  assert_broker_refuses (RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, PRUNED_OUTAGE,
                         "topic secret: Broker: Topic authorization failed");
  assert_broker_refuses (RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, PRUNED_DATA, "topic secret: ");
}

static void
test_a_commit_that_fails_is_trouble_until_one_succeeds (void)
{
  g_autoptr (GError) error = NULL;
  Stage stage = stage_new ("uncommitted", 1);
  const char *const topics[] = { "uncommitted", NULL };
  Member *member = member_of (stage.bootstrap, "uncommitted", topics);
  KafkaProducer *producer = new_producer_for (stage.bootstrap);
  publish_numbers (producer, "uncommitted", 0, 0, 2);
  poll_until_held (member, 1);
  Lane *lane = lane_of (member, "uncommitted", 0);
  g_autoptr (GPtrArray) got = take (member, lane, 2);
  g_assert_true (kafka_partition_store (lane->partition, 1));
  rd_kafka_mock_push_request_errors (stage.mock, 8 /* OffsetCommit */, 1,
                                     RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
  g_assert_true (kafka_consumer_commit (member->consumer, FALSE, &error));
  poll_until_trouble (member, "not committed");
  g_assert_true (kafka_consumer_commit (member->consumer, TRUE, &error));
  g_assert_no_error (error);
  poll_until_trouble (member, NULL);
  member_free (member);
  kafka_producer_free (producer);
  stage_free (&stage);
}

static void
test_a_broker_that_is_gone_is_trouble (void)
{
  g_autoptr (GError) error = NULL;
  const char *const settings[] = { "bootstrap.servers", "127.0.0.1:9", NULL };
  const char *const topics[] = { "t", NULL };
  KafkaConsumer *consumer = kafka_consumer_new (settings, "g", topics, 1, &handlers, NULL, &error);
  g_assert_no_error (error);
  gint64 start_us = clock_monotonic_us ();
  g_autofree char *trouble = NULL;
  while ((trouble = kafka_consumer_trouble (consumer)) == NULL) {
    g_assert_cmpint (clock_monotonic_us () - start_us, <, PATIENCE_US);
    g_assert_true (kafka_consumer_poll (consumer, 10, &error));
  }
  g_assert_nonnull (strstr (trouble, "brokers"));
  g_assert_false (kafka_consumer_joined (consumer));
  start_us = clock_monotonic_us ();
  kafka_consumer_close (consumer);
  kafka_consumer_free (consumer);
  g_assert_cmpint (clock_monotonic_us () - start_us, <, 8 * G_USEC_PER_SEC);
}

/* --- reading without a group ------------------------------------------------------------------------------ */

static gboolean
keep (const KafkaMessage *message, gpointer out)
{
  g_ptr_array_add (out, kafka_message_copy (message));
  return TRUE;
}

static gboolean
keep_one (const KafkaMessage *message, gpointer out)
{
  g_ptr_array_add (out, kafka_message_copy (message));
  return FALSE;
}

static GPtrArray *
read_all (const char *topic, gint64 from_ms, KafkaVisit visit)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_of (settings);
  GPtrArray *out = messages_new ();
  g_assert_true (kafka_read_topic (settings, topic, from_ms, 20000, visit, out, &error));
  g_assert_no_error (error);
  return out;
}

static void
test_a_topic_is_read_to_its_end (void)
{
  make_topic ("read", 3);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "read", 0, 0, 500);
  publish_numbers (producer, "read", 2, 500, 7);
  g_autoptr (GPtrArray) all = read_all ("read", -1, keep);
  g_assert_cmpuint (all->len, ==, 507);
  g_autoptr (GPtrArray) one = read_all ("read", -1, keep_one);
  g_assert_cmpuint (one->len, ==, 1);
  g_autoptr (GPtrArray) recent = read_all ("read", clock_now_us () / 1000 - 600000, keep);
  g_assert_cmpuint (recent->len, ==, 507);
  g_autoptr (GPtrArray) future = read_all ("read", clock_now_us () / 1000 + 600000, keep);
  g_assert_cmpuint (future->len, ==, 0);
}

static void
test_a_message_is_asked_for_its_time (void)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_of (settings);
  make_topic ("time", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  gint64 before_ms = clock_now_us () / 1000, at_ms = -1;
  publish_numbers (producer, "time", 0, 0, 3);
  g_assert_true (kafka_message_timestamp (settings, "time", 0, 1, &at_ms, &error));
  g_assert_no_error (error);
  g_assert_cmpint (at_ms, >=, before_ms);
  g_assert_cmpint (at_ms, <=, clock_now_us () / 1000);
  g_assert_false (kafka_message_timestamp (settings, "time", 0, 3, &at_ms, &error));
  g_assert_no_error (error);
  g_assert_false (kafka_message_timestamp (settings, "time", 4, 0, &at_ms, &error));
  g_assert_no_error (error);
}

static void
test_one_message_is_read_with_the_time_it_was_sent_with (void)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_of (settings);
  make_topic ("single", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  g_autoptr (GPtrArray) sent = messages_new ();
  for (int i = 0; i < 3; i++) {
    g_ptr_array_add (sent, numbered ("single", 0, i));
    ((KafkaMessage *)g_ptr_array_index (sent, i))->timestamp_ms = 1700000000000 + i;
  }
  publish (producer, sent);
  g_autoptr (KafkaMessage) got = kafka_read_message (settings, "single", 0, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (got->offset, ==, 1);
  g_assert_cmpint (got->timestamp_ms, ==, 1700000000001);
  g_assert_cmpmem (got->value, got->value_len, "1", 1);
  g_assert_null (kafka_read_message (settings, "single", 0, 3, &error));
  g_assert_null (kafka_read_message (settings, "single", 1, 0, &error));
  g_assert_null (kafka_read_message (settings, "single", -1, 0, &error));
  g_assert_no_error (error);
}

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GError) error = NULL;
  kafka = kafka_embedded_new (&error);
  g_assert_no_error (error);
  ADD (message_copy_is_equal);
  ADD (message_empty_value_is_no_tombstone);
  ADD (settings_refused);
  ADD (settings_spelled_otherwise_are_taken);
  ADD (everything_of_a_message_arrives);
  ADD (order_holds_within_a_partition);
  ADD (an_empty_mailbox_wakes_its_lane);
  ADD (many_threads_publish_through_one_producer);
  ADD (what_is_acknowledged_is_not_sent_again);
  ADD (a_message_that_is_too_large_is_at_fault_itself);
  ADD (a_partition_that_is_not_there_fails_at_once);
  ADD (without_a_broker_time_is_over);
  ADD (publishing_stops_when_told);
  ADD (offsets_are_committed_when_stored);
  ADD (what_is_stored_at_a_revoke_is_committed_and_nothing_after);
  ADD (an_older_assignment_stores_nothing_in_a_newer_one);
  ADD (a_seek_is_followed_by_its_offset_only);
  ADD (a_seek_right_after_the_assignment_holds);
  ADD (a_topic_made_later_is_consumed);
  ADD (a_broker_comes_back);
  ADD (what_the_broker_refuses_fails_at_once);
  ADD (a_commit_that_fails_is_trouble_until_one_succeeds);
  ADD (a_broker_that_is_gone_is_trouble);
  ADD (a_topic_is_read_to_its_end);
  ADD (a_message_is_asked_for_its_time);
  ADD (one_message_is_read_with_the_time_it_was_sent_with);
  int failed = g_test_run ();
  g_clear_pointer (&shared_member, member_free);
  kafka_embedded_free (kafka);
  return failed;
}
