/* A message that may have killed a process is tried, left for later, or buried.
 */
#include "engine/work/suspect.h"

#include "avro/message.h"
#include "engine/lane/lane_private.h"
#include "engine/lane/solitude.h"
#include "support/played.h"
#include <string.h>

typedef struct {
  Service service;
  Lane lane, other;
  Job job;
  LaneNext handled; /* the handler's result */
} Scene;

static guint calls; /* calls of the handler */
static Scene *scene;

static void
add_message (Lane *lane, gint64 offset)
{
  Pending one = { .message = kafka_message_new ("p.work.a.b", 3), .wrong = g_strdup ("no work") };
  one.message->offset = offset;
  one.message->value = (guint8 *)g_strdup ("no work");
  one.message->value_len = strlen ("no work");
  g_array_append_val (lane->worker.pending, one);
}

/* A lane of work with the messages 40 and 41, of which the handler finishes one. */
static Scene *
begin (void)
{
  scene = g_new0 (Scene, 1);
  scene->service.lanes = lanes_new (1);
  scene->service.prefix = "p";
  scene->job.name = "a.b";
  scene->handled = LANE_DONE;
  scene->lane = (Lane){ .topic = "p.work.a.b", .number = 3, .job = &scene->job };
  scene->lane.worker.pending = g_array_new (FALSE, TRUE, sizeof (Pending));
  scene->lane.list.early = works_new ();
  g_array_set_clear_func (scene->lane.worker.pending, pending_clear);
  add_message (&scene->lane, 40);
  add_message (&scene->lane, 41);
  scene->lane.suspects.n = 2;
  calls = 0;
  played_begin ();
  return scene;
}

static void
end (void)
{
  solitude_end (scene->service.lanes, &scene->other);
  g_assert_null (scene->service.lanes->solitary);
  lanes_free (scene->service.lanes);
  g_array_unref (scene->lane.worker.pending);
  g_array_unref (scene->lane.list.early);
  g_free (scene->lane.suspects.counted);
  g_clear_pointer (&scene, g_free);
}

/* Like the worker: suspects are handled between suspect_begin and suspect_end. */
static LaneNext
handle (void)
{
  LaneNext next;
  if (!suspect_begin (&scene->service, NULL, &scene->lane, &next))
    return next;
  calls++;
  if (scene->handled == LANE_DONE)
    g_array_remove_index (scene->lane.worker.pending, 0);
  return suspect_end (&scene->service, NULL, &scene->lane, scene->handled);
}

static LaneNext
one (void)
{
  scene->lane.suspects.one_by_one = TRUE;
  return handle ();
}

static LaneNext
together (void)
{
  scene->lane.suspects.one_by_one = FALSE;
  return handle ();
}

static void
test_it_is_counted_tried_and_forgotten (void)
{
  begin ();
  played_answer ("suspect_put", "deaths\n0");
  g_assert_cmpint (one (), ==, LANE_AGAIN); /* 41 is left */
  g_assert_cmpstr (played_asked (), ==, "suspect_put suspect_remove");
  g_assert_cmpstr (played_bound ("suspect_put", "topic"), ==, "p.work.a.b");
  g_assert_cmpstr (played_bound ("suspect_put", "partition"), ==, "3");
  g_assert_cmpstr (played_bound ("suspect_put", "offset"), ==, "{40}");
  g_assert_cmpstr (played_bound ("suspect_put", "most"), ==, "1"); /* more: alone, or buried */
  g_assert_cmpstr (played_bound ("suspect_remove", "offset"), ==, "{40}");
  g_assert_cmpuint (calls, ==, 1);
  end ();
}

/* The count of a message under way stays: only its end removes it. */
static void
test_what_goes_on_elsewhere_stays_counted (void)
{
  begin ()->handled = LANE_GO_AWAY;
  played_answer ("suspect_put", "deaths\n1");
  g_assert_cmpint (one (), ==, LANE_GO_AWAY);
  g_assert_cmpstr (played_asked (), ==, "suspect_put");
  scene->handled = LANE_DONE;
  one ();
  g_assert_cmpstr (played_asked (), ==, "suspect_put suspect_remove");
  g_assert_cmpuint (calls, ==, 2);
  end ();
}

/* Nor does a lane that is revoked meanwhile: it holds nothing, its errand is acting. */
static void
test_a_batch_that_goes_on_elsewhere_stays_counted (void)
{
  begin ()->handled = LANE_GO_AWAY;
  played_answer ("suspect_put", "deaths\n0");
  scene->lane.list.revoked = TRUE;
  g_assert_cmpint (together (), ==, LANE_GO_AWAY);
  g_assert_cmpstr (played_asked (), ==, "suspect_put");
  g_assert_nonnull (scene->lane.suspects.counted);
  end ();
}

static void
test_the_last_try_is_left_while_another_is_alone (void)
{
  begin ();
  g_assert_true (solitude_begin (scene->service.lanes, &scene->other));
  played_answer ("suspect_put", "deaths\n2");
  g_assert_cmpint (one (), ==, LANE_HOLD);
  g_assert_cmpint (scene->lane.worker.hold_us, >, 0);
  g_assert_cmpstr (played_asked (), ==, "suspect_put");
  g_assert_cmpuint (calls, ==, 0);
  end ();
}

static void
test_the_last_try_is_alone (void)
{
  begin ()->handled = LANE_GO_AWAY;
  played_answer ("suspect_put", "deaths\n2");
  played_answer ("suspect_put", "deaths\n2");
  g_assert_cmpint (one (), ==, LANE_GO_AWAY);
  g_assert_true (scene->service.lanes->solitary == &scene->lane);
  g_assert_cmpstr (played_asked (), ==, "suspect_put suspect_put"); /* counted once it is alone */
  g_assert_cmpstr (played_bound ("suspect_put", "most"), ==, "2");
  scene->handled = LANE_DONE;
  one ();
  g_assert_null (scene->service.lanes->solitary);
  end ();
}

static void
test_after_three_deaths_it_is_buried (void)
{
  begin ();
  played_answer ("suspect_put", "deaths\n3");
  g_assert_cmpint (one (), ==, LANE_AGAIN);
  g_assert_cmpuint (calls, ==, 0);
  g_assert_cmpstr (played_asked (), ==, "suspect_put suspect_remove");
  const KafkaMessage *letter = played_letter ();
  g_assert_cmpstr (letter->topic, ==, "p.dead");
  g_assert_cmpstr (kafka_message_header (letter, "pruned_source_offset")->value, ==, "40");
  g_assert_cmpstr (kafka_message_header (letter, "pruned_attempts")->value, ==, "3");
  g_assert_true (
      g_str_has_prefix (kafka_message_header (letter, "pruned_reason")->value, "poison: "));
  g_assert_cmpuint (scene->lane.worker.pending->len, ==, 1);
  end ();
}

/* It was not counted, so it is not tried. */
static void
test_an_outage_holds_it (void)
{
  begin ();
  played_answer ("suspect_put", NULL);
  g_assert_cmpint (one (), ==, LANE_HOLD);
  g_assert_cmpint (scene->lane.worker.hold_us, >, 0);
  g_assert_cmpuint (calls, ==, 0);
  g_assert_null (scene->lane.suspects.counted);
  end ();
}

/* What is behind a message whose count could not be removed is counted all the same. */
static void
test_the_next_one_is_counted_by_itself (void)
{
  begin ();
  played_answer ("suspect_put", "deaths\n0");
  played_answer ("suspect_remove", NULL);
  g_assert_cmpint (one (), ==, LANE_HOLD);
  played_answer ("suspect_put", "deaths\n0");
  g_assert_cmpint (one (), ==, LANE_DONE);
  g_assert_cmpstr (played_asked (), ==, "suspect_put suspect_remove suspect_put suspect_remove");
  g_assert_cmpstr (played_bound ("suspect_put", "offset"), ==, "{41}");
  g_assert_cmpuint (calls, ==, 2);
  end ();
}

static void
test_a_batch_is_counted_as_one_until_it_has_ended (void)
{
  begin ();
  played_answer ("suspect_put", "deaths\n0");
  together ();
  g_assert_cmpstr (played_asked (), ==, "suspect_put");
  g_assert_cmpstr (played_bound ("suspect_put", "offset"), ==, "{40,41}");
  g_assert_cmpstr (played_bound ("suspect_put", "most"), ==, "0"); /* more: one by one */
  g_assert_cmpstr (scene->lane.suspects.counted, ==, "{40,41}");
  together ();
  g_assert_cmpstr (played_asked (), ==, "suspect_put suspect_remove");
  g_assert_cmpstr (played_bound ("suspect_remove", "offset"), ==, "{40,41}");
  g_assert_null (scene->lane.suspects.counted);
  g_assert_false (scene->lane.suspects.one_by_one);
  end ();
}

static void
test_a_batch_that_a_process_died_with_is_tried_one_by_one (void)
{
  begin ();
  played_answer ("suspect_put", "deaths\n1");
  g_assert_cmpint (together (), ==, LANE_AGAIN);
  g_assert_true (scene->lane.suspects.one_by_one);
  g_assert_null (scene->lane.suspects.counted);
  g_assert_cmpuint (calls, ==, 0);
  end ();
}

static void
test_what_lies_before_the_first_message_is_forgotten_once (void)
{
  begin ();
  g_assert_true (suspect_forget (NULL, &scene->lane));
  g_assert_true (suspect_forget (NULL, &scene->lane));
  g_assert_cmpstr (played_asked (), ==, "suspect_forget");
  g_assert_cmpstr (played_bound ("suspect_forget", "offset"), ==, "40");
  end ();
}

static void
test_nothing_is_forgotten_before_the_end_is_known (void)
{
  begin ();
  g_array_set_size (scene->lane.worker.pending, 0);
  scene->lane.worker.end_seen = -1;
  g_assert_true (suspect_forget (NULL, &scene->lane));
  g_assert_cmpstr (played_asked (), ==, "");
  scene->lane.worker.end_seen = 42;
  g_assert_true (suspect_forget (NULL, &scene->lane));
  g_assert_cmpstr (played_bound ("suspect_forget", "offset"), ==, "42");
  end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/suspect/tried", test_it_is_counted_tried_and_forgotten);
  g_test_add_func ("/suspect/elsewhere", test_what_goes_on_elsewhere_stays_counted);
  g_test_add_func ("/suspect/batch_elsewhere", test_a_batch_that_goes_on_elsewhere_stays_counted);
  g_test_add_func ("/suspect/left", test_the_last_try_is_left_while_another_is_alone);
  g_test_add_func ("/suspect/alone", test_the_last_try_is_alone);
  g_test_add_func ("/suspect/buried", test_after_three_deaths_it_is_buried);
  g_test_add_func ("/suspect/outage", test_an_outage_holds_it);
  g_test_add_func ("/suspect/next", test_the_next_one_is_counted_by_itself);
  g_test_add_func ("/suspect/batch", test_a_batch_is_counted_as_one_until_it_has_ended);
  g_test_add_func ("/suspect/one_by_one",
                   test_a_batch_that_a_process_died_with_is_tried_one_by_one);
  g_test_add_func ("/suspect/forget", test_what_lies_before_the_first_message_is_forgotten_once);
  g_test_add_func ("/suspect/forget_end", test_nothing_is_forgotten_before_the_end_is_known);
  return g_test_run ();
}
