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
    g_assert_true (ours->only == NULL || ours->never == NULL);
    if (ours->only != NULL)
      assert_taken (ours->name, ours->only);
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
  ADD (what_is_the_users_is_taken);
  ADD (each_has_its_reason_and_takes_its_own_value);
  return g_test_run ();
}
