/* Failures, simulated by a mock cluster of the test's own. */
#include "base/clock.h"
#include "support/mock.h"
#include <string.h>

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

/* Some versions of librdkafka wait without limit for the watermarks of a broker that is gone. */
static void
test_the_watermarks_of_a_broker_that_is_gone_are_not_waited_for_longer_than_said (void)
{
  Stage stage = stage_new ("gone", 1);
  const char *const topics[] = { "gone", NULL };
  Member *member = member_of (stage.bootstrap, "gone", topics);
  poll_until_held (member, 1);
  KafkaPartition *partition = lane_of (member, "gone", 0)->partition;
  g_autoptr (GError) error = NULL;
  gint64 low, high;
  g_assert_true (kafka_partition_watermarks (partition, 20000, &low, &high, &error));

  rd_kafka_mock_broker_set_down (stage.mock, 1);
  gint64 start_us = clock_monotonic_us ();
  g_assert_false (kafka_partition_watermarks (partition, 500, &low, &high, &error));
  g_assert_cmpint (clock_monotonic_us () - start_us, <, PATIENCE_US);
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);

  rd_kafka_mock_broker_set_up (stage.mock, 1);
  gint64 deadline_us = clock_monotonic_us () + PATIENCE_US;
  while (!kafka_partition_watermarks (partition, 1000, &low, &high, NULL)) {
    g_assert_cmpint (clock_monotonic_us (), <, deadline_us);
    poll_once (member);
  }
  g_assert_cmpint (high, ==, 0);
  member_free (member);
  stage_free (&stage);
}

/* Publishes until it succeeds: librdkafka asks every few seconds whether the topic is still
 * forbidden. */
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

/* The broker answers one message with an error; the next one succeeds. */
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
  assert_broker_refuses (RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, PRUNED_OUTAGE,
                         "topic secret: Broker: Invalid timestamp");
  assert_broker_refuses (RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, PRUNED_DATA, "topic secret: ");
  assert_broker_refuses (RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, PRUNED_DATA, "topic secret: ");
  assert_broker_refuses (RD_KAFKA_RESP_ERR_INVALID_RECORD, PRUNED_DATA, "topic secret: ");
  assert_broker_refuses (RD_KAFKA_RESP_ERR_POLICY_VIOLATION, PRUNED_DATA, "topic secret: ");
}

/* As after an unclean election: the new leader lacks what the client was told is there. For
 * librdkafka that is the end of the client. */
static void
test_a_producer_that_fails_fatally_is_replaced (void)
{
  Stage stage = stage_new ("desync", 1);
  KafkaProducer *producer = new_producer_for (stage.bootstrap);
  for (int i = 0; i < 2; i++) {
    publish_numbers (producer, "desync", 0, 3 * i, 1);
    rd_kafka_mock_push_request_errors (stage.mock, 0 /* Produce */, 1,
                                       RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER);
    publish_numbers (producer, "desync", 0, 3 * i + 1, 2);
  }
  KafkaEdges edges = { 0, 0 };
  g_assert_true (kafka_producer_edges (producer, "desync", &edges, 1, 20000));
  g_assert_cmpint (edges.high, ==, 6);
  kafka_producer_free (producer);
  stage_free (&stage);
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
  KafkaConsumer *consumer = kafka_consumer_new (settings, "g", 1, &handlers, NULL, &error);
  g_assert_true (kafka_consumer_subscribe (consumer, topics, &error));
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

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (a_topic_made_later_is_consumed);
  ADD (a_broker_comes_back);
  ADD (the_watermarks_of_a_broker_that_is_gone_are_not_waited_for_longer_than_said);
  ADD (what_the_broker_refuses_fails_at_once);
  ADD (a_producer_that_fails_fatally_is_replaced);
  ADD (a_commit_that_fails_is_trouble_until_one_succeeds);
  ADD (a_broker_that_is_gone_is_trouble);
  return cluster_run ();
}
