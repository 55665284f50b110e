/* What becomes of outcomes that their topic refuses: a mock broker answers request after request.
 */
#include "engine/outbox/refused.h"
#include "support/mock.h"

#include <string.h>

#define OUTCOMES "p.outcomes"
#define OK RD_KAFKA_RESP_ERR_NO_ERROR
#define INVALID RD_KAFKA_RESP_ERR_INVALID_RECORD
#define POLICY RD_KAFKA_RESP_ERR_POLICY_VIOLATION
#define LARGE RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE

typedef struct {
  Stage stage;
  KafkaProducer *producer;
  GPtrArray *messages;
} Play;

/* N outcomes, of which the later are larger; then the broker gives these ANSWERS. */
static Play
play_new (guint n, const rd_kafka_resp_err_t *answers, guint n_answers)
{
  Play play = { stage_new (OUTCOMES, 1), NULL, messages_new () };
  g_assert_cmpint (rd_kafka_mock_topic_create (play.stage.mock, "p.dead", 1, 1), ==, 0);
  const char *const settings[] = { "bootstrap.servers", play.stage.bootstrap, "linger.ms", "100",
                                   NULL }; /* messages that are sent together are one request */
  play.producer = kafka_producer_new (settings, NULL);
  publish_numbers (play.producer, OUTCOMES, 0, 0, 1);
  publish_numbers (play.producer, "p.dead", 0, 0, 1);
  for (guint i = 0; i < n; i++) {
    KafkaMessage *message = kafka_message_new (OUTCOMES, -1);
    g_autofree char *value = g_strnfill (10 * (i + 1), 'x');
    kafka_message_set_key (message, "k");
    kafka_message_set_value (message, value, strlen (value));
    g_ptr_array_add (play.messages, message);
  }
  for (guint i = 0; i < n_answers; i++)
    rd_kafka_mock_push_request_errors (play.stage.mock, 0 /* Produce */, 1, answers[i]);
  return play;
}

static void
play_free (Play *play)
{
  g_ptr_array_unref (play->messages);
  kafka_producer_free (play->producer);
  stage_free (&play->stage);
}

static gint64
count_of (const Play *play, const char *topic)
{
  KafkaEdges edges;
  g_assert_true (kafka_producer_edges (play->producer, topic, &edges, 1, 20000));
  return edges.high - 1; /* without the first one */
}

/* Sends the messages, which must be refused, and settles that. */
static gboolean
settle (const Play *play, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const Refused how = { play->producer, "p", "a.b", -1, NULL };
  g_assert_false (kafka_publish (play->producer, play->messages, -1, NULL, &cause));
  g_assert_error (cause, PRUNED_ERROR, PRUNED_DATA);
  return refused_settle (&how, play->messages, cause, error);
}

static void
assert_settled (const Play *play, gint64 outcomes, gint64 dead)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (settle (play, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < play->messages->len; i++)
    g_assert_true (((const KafkaMessage *)play->messages->pdata[i])->acked);
  g_assert_cmpint (count_of (play, OUTCOMES), ==, outcomes);
  g_assert_cmpint (count_of (play, "p.dead"), ==, dead);
}

/* All of them, again, the first alone, the others, the second alone, the third alone. */
static void
test_one_that_is_invalid_goes_to_the_dead_topic_and_larger_ones_do_not (void)
{
  static const rd_kafka_resp_err_t answers[] = { INVALID, INVALID, OK, INVALID, INVALID, OK };
  Play play = play_new (3, answers, G_N_ELEMENTS (answers));
  assert_settled (&play, 2, 1);
  play_free (&play);
}

static void
test_so_does_one_that_a_policy_forbids (void)
{
  static const rd_kafka_resp_err_t answers[] = { POLICY, POLICY };
  Play play = play_new (1, answers, G_N_ELEMENTS (answers));
  assert_settled (&play, 0, 1);
  play_free (&play);
}

/* What is no smaller is not tried. */
static void
test_so_does_one_that_is_too_large_and_has_nothing_to_be_cut (void)
{
  static const rd_kafka_resp_err_t answers[] = { LARGE, LARGE, OK, LARGE, LARGE };
  Play play = play_new (3, answers, G_N_ELEMENTS (answers));
  assert_settled (&play, 1, 2);
  play_free (&play);
}

/* Small, and nothing else goes: it is the topic that is wrong. */
static void
test_what_a_closed_topic_refuses_waits (void)
{
  static const rd_kafka_resp_err_t answers[] = { LARGE, LARGE };
  Play play = play_new (1, answers, G_N_ELEMENTS (answers));
  g_autoptr (GError) error = NULL;
  g_assert_false (settle (&play, &error));
  g_assert_no_error (error);
  g_assert_false (((const KafkaMessage *)play.messages->pdata[0])->acked);
  play_free (&play);
}

static void
test_what_the_dead_topic_refuses_as_well_waits (void)
{
  static const rd_kafka_resp_err_t answers[] = { INVALID, INVALID, INVALID, INVALID };
  Play play = play_new (1, answers, G_N_ELEMENTS (answers));
  g_autoptr (GError) error = NULL;
  g_assert_false (settle (&play, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  g_assert_false (((const KafkaMessage *)play.messages->pdata[0])->acked);
  g_assert_cmpint (count_of (&play, OUTCOMES), ==, 0);
  play_free (&play);
}

#define ADD(test) g_test_add_func ("/refused/" #test, test_##test)

int
main (int argc, char **argv)
{
  cluster_begin (&argc, &argv);
  ADD (one_that_is_invalid_goes_to_the_dead_topic_and_larger_ones_do_not);
  ADD (so_does_one_that_a_policy_forbids);
  ADD (so_does_one_that_is_too_large_and_has_nothing_to_be_cut);
  ADD (what_a_closed_topic_refuses_waits);
  ADD (what_the_dead_topic_refuses_as_well_waits);
  return cluster_run ();
}
