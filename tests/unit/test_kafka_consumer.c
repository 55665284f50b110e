/* The way of a message to its lane, offsets, seeks, revocations: against the embedded mock cluster.
 */
#include "base/clock.h"
#include "support/cluster.h"
#include <stdatomic.h>
#include <string.h>

/* --- the way there and back
 * --------------------------------------------------------------------------- */

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

/* --- offsets
 * ------------------------------------------------------------------------------------------- */

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
    g_assert_true (kafka_partition_watermarks (lane->partition, 20000, &low, &high, &error));
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

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (everything_of_a_message_arrives);
  ADD (order_holds_within_a_partition);
  ADD (an_empty_mailbox_wakes_its_lane);
  ADD (offsets_are_committed_when_stored);
  ADD (what_is_stored_at_a_revoke_is_committed_and_nothing_after);
  ADD (an_older_assignment_stores_nothing_in_a_newer_one);
  ADD (a_seek_is_followed_by_its_offset_only);
  ADD (a_seek_right_after_the_assignment_holds);
  return cluster_run ();
}
