/* Topics that do not answer, in a mock cluster of the test's own: they hide no others. */
#include "kafka/admin.h"
#include "support/mock.h"
#include <string.h>

static KafkaAdmin *
admin_of (const Stage *stage)
{
  const char *const settings[] = { "bootstrap.servers", stage->bootstrap, NULL };
  g_autoptr (GError) error = NULL;
  KafkaAdmin *admin = kafka_admin_new (settings, &error);
  g_assert_no_error (error);
  return admin;
}

/* Elects a leader once the administrator has seen that there is none. */
static gpointer
elect (gpointer data)
{
  g_usleep (300 * 1000);
  rd_kafka_mock_topic_set_error (data, "young", RD_KAFKA_RESP_ERR_NO_ERROR);
  return NULL;
}

static void
test_a_topic_that_was_just_made_is_waited_for (void)
{
  Stage stage = stage_new ("young", 2);
  g_autoptr (KafkaAdmin) admin = admin_of (&stage);
  g_autoptr (GError) error = NULL;
  KafkaTopic topic = { "young", -1 };
  rd_kafka_mock_topic_set_error (stage.mock, "young", RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
  GThread *thread = g_thread_new ("elect", elect, stage.mock);
  gboolean told = kafka_admin_describe (admin, &topic, 1, 20000, &error);
  g_thread_join (thread);
  g_assert_no_error (error);
  g_assert_true (told);
  g_assert_cmpint (topic.partitions, ==, 2);
  g_assert_null (topic.trouble);
  g_clear_pointer (&admin, kafka_admin_free);
  stage_free (&stage);
}

static void
test_a_topic_that_does_not_answer_hides_no_other (void)
{
  Stage stage = stage_new ("well", 2);
  g_assert_cmpint (rd_kafka_mock_topic_create (stage.mock, "silent", 2, 1), ==, 0);
  g_assert_cmpint (rd_kafka_mock_topic_create (stage.mock, "half led", 2, 1), ==, 0);
  rd_kafka_mock_topic_set_error (stage.mock, "silent", RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
  rd_kafka_mock_partition_set_leader (stage.mock, "half led", 1, -1);
  g_autoptr (KafkaAdmin) admin = admin_of (&stage);
  g_autoptr (GError) error = NULL;
  KafkaTopic topics[] = { { "silent", -1 }, { "well", -1 }, { "half led", -1 } };
  g_assert_true (kafka_admin_look (admin, topics, 3, 5000, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (topics[0].trouble, ==, "Broker: Leader not available");
  g_assert_cmpint (topics[0].partitions, ==, -1);
  g_assert_null (topics[1].trouble);
  g_assert_cmpint (topics[1].partitions, ==, 2);
  g_assert_cmpstr (topics[2].trouble, ==, "Broker: Leader not available");
  g_assert_cmpint (topics[2].partitions, ==, 2);
  g_assert_false (kafka_admin_describe (admin, topics, 1, 100, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  g_assert_nonnull (strstr (error->message, "silent"));
  g_clear_pointer (&admin, kafka_admin_free);
  stage_free (&stage);
}

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  if (kafka_library_survives_topic_errors ()) {
    ADD (a_topic_that_was_just_made_is_waited_for);
    ADD (a_topic_that_does_not_answer_hides_no_other);
  }
  return cluster_run ();
}
