#include "support/cluster.h"

#include "base/clock.h"

#include <string.h>

static KafkaEmbedded *kafka;

static void
settings_for (const char *settings[16], const char *bootstrap)
{
  /* The mock cluster lets a group wait for its session less a second before it shares out anew. */
  const char *const all[] = { "bootstrap.servers",
                              bootstrap,
                              "session.timeout.ms",
                              "3000",
                              "heartbeat.interval.ms",
                              "100",
                              "fetch.wait.max.ms",
                              "2",
                              NULL };
  memcpy (settings, all, sizeof all);
}

void
settings_of (const char *settings[16])
{
  settings_for (settings, kafka_embedded_bootstrap (kafka));
}

void
make_topic (const char *topic, gint32 partitions)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (kafka_embedded_topic (kafka, topic, partitions, &error));
  g_assert_no_error (error);
}

KafkaProducer *
new_producer_for (const char *bootstrap)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_for (settings, bootstrap);
  KafkaProducer *producer = kafka_producer_new (settings, &error);
  g_assert_no_error (error);
  return producer;
}

KafkaProducer *
new_producer (void)
{
  return new_producer_for (kafka_embedded_bootstrap (kafka));
}

GPtrArray *
messages_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
}

KafkaMessage *
numbered (const char *topic, gint32 partition, guint n)
{
  g_autofree char *text = g_strdup_printf ("%u", n);
  KafkaMessage *message = kafka_message_new (topic, partition);
  kafka_message_set_value (message, text, strlen (text));
  return message;
}

void
publish (KafkaProducer *producer, GPtrArray *messages)
{
  g_autoptr (GError) error = NULL;
  if (!kafka_publish (producer, messages, 20000, NULL, &error))
    g_error ("not published: %s", error->message);
  g_assert_no_error (error);
  for (guint i = 0; i < messages->len; i++)
    g_assert_true (((KafkaMessage *)g_ptr_array_index (messages, i))->acked);
}

void
publish_numbers (KafkaProducer *producer, const char *topic, gint32 partition, guint from, guint n)
{
  g_autoptr (GPtrArray) messages = messages_new ();
  for (guint i = from; i < from + n; i++)
    g_ptr_array_add (messages, numbered (topic, partition, i));
  publish (producer, messages);
}

/* --- a consumer with lanes, polled by the test --- */

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

const KafkaHandlers handlers = { on_assigned, on_ready, on_revoked, on_wake };

Member *
member_of (const char *bootstrap, const char *group, const char *const *topics)
{
  g_autoptr (GError) error = NULL;
  const char *settings[16];
  settings_for (settings, bootstrap);
  Member *member = g_new0 (Member, 1);
  member->store_at_revoke = -1;
  member->lanes = g_ptr_array_new ();
  member->consumer = kafka_consumer_new (settings, group, 8, &handlers, member, &error);
  g_assert_no_error (error);
  g_assert_true (kafka_consumer_subscribe (member->consumer, topics, &error));
  return member;
}

Member *
member_new (const char *group, const char *topic, const char *other_topic)
{
  const char *const topics[] = { topic, other_topic, NULL };
  return member_of (kafka_embedded_bootstrap (kafka), group, topics);
}

void
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

void
poll_once (Member *member)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (kafka_consumer_poll (member->consumer, 10, &error));
  g_assert_no_error (error);
}

guint
count_held (const Member *member)
{
  guint held = 0;
  for (guint i = 0; i < member->lanes->len; i++)
    held += !((Lane *)g_ptr_array_index (member->lanes, i))->revoked;
  return held;
}

void
poll_until_held (Member *member, guint wanted)
{
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (count_held (member) != wanted || !kafka_consumer_joined (member->consumer)) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    poll_once (member);
  }
}

static Member *shared_member;

Member *
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

Lane *
lane_of (Member *member, const char *topic, gint32 number)
{
  for (guint i = member->lanes->len; i-- > 0;) {
    Lane *lane = g_ptr_array_index (member->lanes, i);
    if (!lane->revoked && g_str_equal (lane->topic, topic) && lane->number == number)
      return lane;
  }
  g_assert_not_reached ();
}

/* Takes until N messages have come and, if END is not -1, the end of the partition is reached at
 * END. */
GPtrArray *
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

GPtrArray *
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

void
assert_numbers (const GPtrArray *messages, guint from)
{
  for (guint i = 0; i < messages->len; i++) {
    const KafkaMessage *message = g_ptr_array_index (messages, i);
    g_assert_cmpuint (g_ascii_strtoull ((char *)message->value, NULL, 10), ==, from + i);
  }
}

void
assert_publish_fails (KafkaProducer *producer, KafkaMessage *message, int timeout_ms,
                      const atomic_int *stop, PrunedVerdict verdict, const char *words)
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

/* --- running --- */

void
cluster_begin (int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;
  g_test_init (argc, argv, NULL);
  kafka = kafka_embedded_new (&error);
  g_assert_no_error (error);
}

int
cluster_run (void)
{
  int failed = g_test_run ();
  g_clear_pointer (&shared_member, member_free);
  kafka_embedded_free (kafka);
  return failed;
}
