/* Offsets of topics, in a mock cluster of the test's own: a partition that does not answer hides no
 * others. */
#include "kafka/offsets.h"
#include "support/mock.h"
#include <string.h>

static void
test_a_partition_without_a_leader_hides_no_other (void)
{
  Stage stage = stage_new ("led", 2);
  g_assert_cmpint (rd_kafka_mock_topic_create (stage.mock, "half led", 2, 1), ==, 0);
  g_assert_cmpint (rd_kafka_mock_partition_set_leader (stage.mock, "half led", 0, -1), ==, 0);
  const char *const settings[] = { "bootstrap.servers", stage.bootstrap, NULL };
  const KafkaTopic topics[] = { { "half led", 2 }, { "led", 2 } };
  g_autoptr (GError) error = NULL;
  g_autofree char *unread = NULL;
  g_autoptr (GArray) offsets = kafka_offsets (settings, "g", topics, 2, 12000, &unread, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (offsets->len, ==, 4);
  for (guint i = 0; i < offsets->len; i++) {
    const KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    g_assert_cmpint (offset->high, ==, g_str_equal (offset->topic, "led") ? 0 : -1);
  }
  g_assert_nonnull (strstr (unread, "cannot read half led [0]: "));
  stage_free (&stage);
}

static void
test_committed_offsets_are_asked_for_only_where_they_are_wanted (void)
{
  Stage stage = stage_new ("counted", 1);
  const char *const settings[] = { "bootstrap.servers", stage.bootstrap, NULL };
  const KafkaTopic topic = { "counted", 1 };
  g_autoptr (GError) error = NULL;
  g_autofree char *unread = NULL, *none = NULL;
  rd_kafka_mock_push_request_errors (stage.mock, 9 /* OffsetFetch */, 1,
                                     RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
  g_autoptr (GArray) offsets = kafka_offsets (settings, NULL, &topic, 1, 20000, &unread, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_array_index (offsets, KafkaOffset, 0).high, ==, 0);
  g_assert_null (unread);
  g_assert_null (kafka_offsets (settings, "g", &topic, 1, 20000, &none, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  stage_free (&stage);
}

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (a_partition_without_a_leader_hides_no_other);
  ADD (committed_offsets_are_asked_for_only_where_they_are_wanted);
  return cluster_run ();
}
