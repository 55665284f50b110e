/* What becomes of the message of a step that its lane knew before. */
#include "support/early.h"

static void
test_its_message_is_read_first (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_A, 0);
  early_scene_offer (EARLY_A, 1);
  early_scene_offer (EARLY_B, 0);
  early_scene_read (early_scene_message (EARLY_A, 1, 0));
  early_scene_is (EARLY_A, 1, TRUE);
  early_scene_remove ();
  early_scene_read (NULL);
  early_scene_is (EARLY_A, 0, FALSE);
  early_scene_remove ();
  early_scene_read (NULL);
  early_scene_is (EARLY_B, 0, FALSE);
  early_scene_end ();
}

static void
test_another_message_goes_first (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_A, 0);
  g_assert_false (early_scene_drops (EARLY_B, 0));
  g_assert_true (early_waits (early_scene.lanes, early_scene.lane));
  early_scene_end ();
}

/* The second of the same step is none that the lane waits for: PostgreSQL decides about it. */
static void
test_it_is_dropped_once (void)
{
  early_scene_begin ();
  early_scene_do (EARLY_A, 2);
  early_scene_do (EARLY_A, 3);
  g_assert_false (early_scene_drops (EARLY_B, 3));
  g_assert_false (early_scene_drops (EARLY_A, 4));
  g_assert_true (early_scene_drops (EARLY_A, 2));
  g_assert_false (early_scene_drops (EARLY_A, 2));
  g_assert_true (early_scene_drops (EARLY_A, 3));
  g_assert_false (early_scene_drops (EARLY_A, 3));
  early_scene_end ();
}

static void
test_another_attempt (void)
{
  early_scene_begin ();
  early_scene_do (EARLY_A, 2);
  early_scene_read (early_scene_message (EARLY_A, 2, 1));
  early_scene_is (EARLY_A, 2, TRUE);
  early_scene_end ();
}

/* Its transaction has failed. */
static void
test_what_is_not_done_is_tried_by_the_message (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_A, 2);
  early_scene_read (NULL);
  early_scene_is (EARLY_A, 2, FALSE);
  early_scene_remove ();
  g_assert_false (early_scene_drops (EARLY_A, 2));
  early_scene_end ();
}

static void
test_another_order (void)
{
  early_scene_begin ();
  early_scene_do (EARLY_A, 0);
  early_scene_do (EARLY_B, 0);
  g_assert_true (early_scene_drops (EARLY_B, 0));
  g_assert_true (early_scene_drops (EARLY_A, 0));
  early_scene_end ();
}

/* PostgreSQL was set back, and Kafka has lost the message that would end the waiting: the messages
 * that housekeeping sends again are not those of steps that were done early. */
static void
test_messages_that_are_sent_again (void)
{
  early_scene_begin ();
  early_scene_do (EARLY_A, 3);
  early_scene_do (EARLY_A, 4);
  g_assert_false (early_scene_drops (EARLY_A, 1));
  g_assert_true (early_scene_drops (EARLY_A, 4));
  g_assert_false (early_scene_drops (EARLY_A, 3));
  early_scene_end ();
}

static void
test_a_step_by_its_message_leaves_nothing_behind (void)
{
  early_scene_begin ();
  early_scene_read (early_scene_message (EARLY_A, 3, 0));
  early_scene_commit (EARLY_A, 3, 0, FALSE);
  early_scene_remove ();
  g_assert_false (early_scene_drops (EARLY_A, 3));
  early_scene_end ();
}

/* Messages that were lost do not fill the memory. */
static void
test_many (void)
{
  early_scene_begin ();
  for (int step = 0; step < 300; step++)
    early_scene_do (EARLY_A, step);
  g_assert_cmpuint (early_scene.lane->worker.done->len, ==, 256);
  g_assert_false (early_scene_drops (EARLY_A, 43));
  g_assert_true (early_scene_drops (EARLY_A, 44));
  early_scene_end ();
}

static void
test_it_cannot_be_decoded (void)
{
  early_scene_begin ();
  KafkaMessage *message = kafka_message_new ("p.work.a.b", EARLY_LANE);
  kafka_message_set_value (message, "no work", strlen ("no work"));
  early_scene_offer (EARLY_A, 0);
  early_scene_read (message);
  const Pending *first = &g_array_index (early_scene.lane->worker.pending, Pending, 0);
  g_assert_true (first->message == message);
  g_assert_nonnull (first->wrong);
  g_assert_true (early_waits (early_scene.lanes, early_scene.lane));
  early_scene_end ();
}

/* --- a lane that is given up --- */

static void
give_up (void)
{
  g_autoptr (GPtrArray) revoked = g_ptr_array_new ();
  g_ptr_array_add (revoked, early_scene.lane);
  lanes_revoke (early_scene.lanes, revoked, FALSE, 0);
}

static void
test_assigned_again (void)
{
  early_scene_begin ();
  early_scene_do (EARLY_A, 2);
  early_scene_offer (EARLY_B, 0);
  give_up ();
  early_scene.lane = lanes_with (early_scene.lanes, "p.work.a.b", EARLY_LANE, &early_scene.job);
  g_assert_false (early_waits (early_scene.lanes, early_scene.lane));
  g_assert_false (early_scene_drops (EARLY_A, 2));
  early_scene_end ();
}

/* A worker holds it, with the step of an offer and another offer. */
static void
test_revoked_meanwhile (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_A, 2);
  early_scene_offer (EARLY_B, 0);
  g_assert_true (lanes_given (early_scene.lanes, early_scene.pg) == early_scene.lane);
  early_scene_read (NULL);
  early_scene_is (EARLY_A, 2, FALSE);
  give_up ();
  early_scene_commit (EARLY_A, 2, 0, TRUE);
  early_scene_remove ();
  g_assert_false (early_waits (early_scene.lanes, early_scene.lane));
  early_scene_read (NULL);
  g_assert_cmpuint (early_scene.lane->worker.pending->len, ==, 0);
  lanes_put (early_scene.lanes, early_scene.lane, LANE_AGAIN);
  g_assert_cmpuint (early_scene.lanes->all->len + early_scene.lanes->forgotten->len, ==, 0);
  early_scene_end ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/lane/early/message_first", test_its_message_is_read_first);
  g_test_add_func ("/lane/early/another_message", test_another_message_goes_first);
  g_test_add_func ("/lane/early/once", test_it_is_dropped_once);
  g_test_add_func ("/lane/early/attempt", test_another_attempt);
  g_test_add_func ("/lane/early/not_done", test_what_is_not_done_is_tried_by_the_message);
  g_test_add_func ("/lane/early/order", test_another_order);
  g_test_add_func ("/lane/early/again", test_messages_that_are_sent_again);
  g_test_add_func ("/lane/early/by_message", test_a_step_by_its_message_leaves_nothing_behind);
  g_test_add_func ("/lane/early/many", test_many);
  g_test_add_func ("/lane/early/undecodable", test_it_cannot_be_decoded);
  g_test_add_func ("/lane/early/assigned_again", test_assigned_again);
  g_test_add_func ("/lane/early/revoked", test_revoked_meanwhile);
  return g_test_run ();
}
