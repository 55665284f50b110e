/* Reading without a group: against the embedded mock cluster. */
#include "base/clock.h"
#include "support/cluster.h"

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
  g_assert_true (kafka_read_topic (settings, topic, from_ms, 20000,
                                   &(KafkaVisitor){ .visit = visit, .data = out }, &error));
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

static void
test_a_part_of_a_partition_is_read_as_far_as_it_is_there (void)
{
  const struct {
    KafkaStretch stretch;
    guint n;
  } cases[] = { { { 1, 2, 5 }, 3 },   { { 1, 0, 10 }, 10 }, { { 1, 7, 99 }, 3 },
                { { 1, 10, 12 }, 0 }, { { 1, 4, 4 }, 0 },   { { 0, 0, 5 }, 0 } };
  const char *settings[16];
  settings_of (settings);
  make_topic ("part", 2);
  g_autoptr (KafkaProducer) producer = new_producer ();
  publish_numbers (producer, "part", 1, 0, 10);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) read = messages_new ();
    g_assert_true (kafka_read_stretch (settings, "part", &cases[i].stretch, 10000,
                                       &(KafkaVisitor){ .visit = keep, .data = read }, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (read->len, ==, cases[i].n);
    for (guint k = 0; k < read->len; k++)
      g_assert_cmpint (((KafkaMessage *)read->pdata[k])->offset, ==, cases[i].stretch.from + k);
  }
  g_autoptr (GError) error = NULL;
  g_assert_false (kafka_read_stretch (settings, "part", &(KafkaStretch){ 2, 0, 1 }, 10000,
                                      &(KafkaVisitor){ .visit = keep }, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
}

#define ADD(test) g_test_add_func ("/kafka/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (a_topic_is_read_to_its_end);
  ADD (a_message_is_asked_for_its_time);
  ADD (one_message_is_read_with_the_time_it_was_sent_with);
  ADD (a_part_of_a_partition_is_read_as_far_as_it_is_there);
  return cluster_run ();
}
