/* Publishing: against the embedded mock cluster, and without a broker. */
#include "base/clock.h"
#include "support/cluster.h"
#include <pthread.h>
#include <string.h>

/* --- the producer --- */

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

  /* Its neighbours do not fail with it. */
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
test_a_broker_that_does_not_say_its_time_is_not_taken_for_one_that_does (void)
{
  make_topic ("timeless", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = messages_new ();
  g_ptr_array_add (messages, numbered ("timeless", 0, 0));
  g_assert_true (kafka_publish (producer, messages, -1, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (((KafkaMessage *)messages->pdata[0])->appended_ms, ==, 0);
}

static void
test_a_partition_that_is_not_there_fails_at_once (void)
{
  make_topic ("narrow", 1);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "narrow", 0, 0, 1);
  assert_publish_fails (producer, numbered ("narrow", 5, 0), -1, NULL, PRUNED_OUTAGE,
                        "topic narrow");
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
  /* Another thread reports the connection's error. */
  while (kafka_producer_is_up (producer) && clock_monotonic_us () < start_us + 20 * G_USEC_PER_SEC)
    g_usleep (10000);
  g_assert_false (kafka_producer_is_up (producer));
}

static void *
stop_soon (void *data)
{
  g_usleep (100 * 1000); /* publishing should be under way; an earlier error would only make the
                            test weaker */
  atomic_store ((atomic_int *)data, TRUE);
  return NULL;
}

static void
test_publishing_stops_when_told (void)
{
  g_autoptr (KafkaProducer) producer = producer_without_broker ();
  atomic_int stop = FALSE;
  pthread_t thread;
  g_assert_cmpint (pthread_create (&thread, NULL, stop_soon, &stop), ==, 0);
  assert_publish_fails (producer, numbered ("t", 0, 0), -1, &stop, PRUNED_OUTAGE,
                        "stopped waiting");
  pthread_join (thread, NULL);
}

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (many_threads_publish_through_one_producer);
  ADD (what_is_acknowledged_is_not_sent_again);
  ADD (a_message_that_is_too_large_is_at_fault_itself);
  ADD (a_broker_that_does_not_say_its_time_is_not_taken_for_one_that_does);
  ADD (a_partition_that_is_not_there_fails_at_once);
  ADD (without_a_broker_time_is_over);
  ADD (publishing_stops_when_told);
  return cluster_run ();
}
