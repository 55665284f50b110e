#include "kafka/ours.h"

#include <string.h>

static void
assert_refused (const char *name, const char *value, const char *words)
{
  g_autofree char *refusal = kafka_ours_refusal (name, value);
  g_assert_nonnull (refusal);
  if (strstr (refusal, words) == NULL)
    g_error ("%s = %s: %s", name, value, refusal);
  g_assert_nonnull (strstr (refusal, "; remove it"));
}

static void
assert_taken (const char *name, const char *value)
{
  g_autofree char *refusal = kafka_ours_refusal (name, value);
  if (refusal != NULL)
    g_error ("%s = %s: %s", name, value, refusal);
}

static void
test_other_values_are_refused (void)
{
  assert_refused ("transactional.id", "x", "cannot be set");
  assert_refused ("isolation.level", "read_uncommitted", "only read_committed works");
  assert_refused ("isolation.level", "READ_UNCOMMITTED", "aborted");
  assert_refused ("partition.assignment.strategy", "range,cooperative-sticky", "cooperative");
  assert_refused ("enable.auto.commit", "true", "it is true, but only false works");
  assert_refused ("auto.offset.reset", "latest", "only smallest works");
  assert_refused ("log.queue", "1", "only false works");
  assert_refused ("enabled_events", "4", "only 0 works");
  assert_refused ("test.mock.num.brokers", "1", "only 0 works");
  assert_refused ("topic.blacklist", ".*", "would not be seen");
  assert_refused ("topic.metadata.refresh.interval.ms", "-1", "would not be seen");
}

static void
test_other_names_of_a_setting_are_seen_through (void)
{
  assert_refused ("acks", "1", "it is 1, but only -1 works");
  assert_refused ("request.required.acks", "0", "only -1 works for acks");
  assert_taken ("acks", "all");
}

static void
test_bounds_of_what_is_the_users (void)
{
  assert_refused ("connections.max.idle.ms", "1", "it is 1, but at least 10000 works");
  assert_refused ("connections.max.idle.ms", "9999", "counts as idle");
  assert_refused ("socket.timeout.ms", "10", "at least 1000 works");
  assert_refused ("linger.ms", "900000", "at most 1000 works for queue.buffering.max.ms");
  assert_refused ("fetch.wait.max.ms", "300000", "at most 5000 works");
  assert_refused ("message.max.bytes", "1000", "at least 100000 works");
  assert_refused ("queue.buffering.max.kbytes", "1", "at least 1024 works");
  assert_refused ("socket.max.fails", "0", "never left");
  assert_refused ("delivery.timeout.ms", "1", "at least 1000 works for message.timeout.ms");
}

static void
test_within_the_bounds_and_where_zero_is_off_it_is_taken (void)
{
  assert_taken ("connections.max.idle.ms", "0");
  assert_taken ("connections.max.idle.ms", "10000");
  assert_taken ("fetch.wait.max.ms", "5000");
  assert_taken ("socket.timeout.ms", "1000");
  assert_taken ("queued.max.messages.kbytes", "1");
}

static void
test_what_is_the_users_is_taken (void)
{
  assert_taken ("transactional.id", "");
  assert_taken ("isolation.level", "read_committed");
  assert_taken ("partition.assignment.strategy", "range,roundrobin");
  assert_taken ("auto.offset.reset", "earliest");
  assert_taken ("enable.idempotence", "t");
  assert_taken ("topic.metadata.refresh.interval.ms", "1000");
  assert_taken ("session.timeout.ms", "10000");
  assert_taken ("no.such.property", "x"); /* an error of its own */
  assert_taken ("linger.ms", "no number");
}

static void
test_each_has_its_reason_and_takes_its_own_value (void)
{
  for (const KafkaOurs *ours = kafka_ours; ours->name != NULL; ours++) {
    g_assert_cmpuint (strlen (ours->why), >, 10);
    if (ours->rule != OURS_NEVER)
      assert_taken (ours->name, ours->value);
    if (ours != kafka_ours)
      g_assert_cmpstr (ours[-1].name, <, ours->name);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/ours/" #name, test_##name)
  ADD (other_values_are_refused);
  ADD (other_names_of_a_setting_are_seen_through);
  ADD (bounds_of_what_is_the_users);
  ADD (within_the_bounds_and_where_zero_is_off_it_is_taken);
  ADD (what_is_the_users_is_taken);
  ADD (each_has_its_reason_and_takes_its_own_value);
  return g_test_run ();
}
