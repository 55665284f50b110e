/* Messages and settings: what needs no broker. */
#include "support/cluster.h"
#include <string.h>

/* --- messages
 * ----------------------------------------------------------------------------------------- */

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

/* --- settings
 * ----------------------------------------------------------------------------------------- */

static void
assert_refused (const char *name, const char *value, const char *words)
{
  g_autoptr (GError) error = NULL;
  const char *const settings[] = { "bootstrap.servers", "127.0.0.1:1", name, value, NULL };
  g_assert_null (kafka_consumer_new (settings, "g", 1, &handlers, NULL, &error));
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
  const char *const settings[]
      = { "bootstrap.servers", "127.0.0.1:1", "acks", "all", "compression.type", "lz4",
          "linger.ms",         "5",           NULL };
  g_autoptr (KafkaProducer) producer = kafka_producer_new (settings, &error);
  g_assert_no_error (error);
  g_assert_nonnull (producer);
}

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (message_copy_is_equal);
  ADD (message_empty_value_is_no_tombstone);
  ADD (settings_refused);
  ADD (settings_spelled_otherwise_are_taken);
  return cluster_run ();
}
