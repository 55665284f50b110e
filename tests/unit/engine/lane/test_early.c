/* A lane is offered steps before their message has come. */
#include "support/early.h"

static void
make_errands (void)
{
  early_scene.code.errand = &early_scene.errand;
  early_scene.job.code = &early_scene.code;
  early_scene.job.kind = job_kind_of (&early_scene.code, NULL);
}

static void
is_refused (void)
{
  early_scene_offer (EARLY_A, 0);
  g_assert_cmpuint (early_scene.lane->list.early->len, ==, 0);
}

static void
test_idle (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_A, 0);
  g_assert_true (early_waits (early_scene.lanes, early_scene.lane));
  g_assert_true (lanes_given (early_scene.lanes, early_scene.pg) == early_scene.lane);
  early_scene_read (NULL);
  early_scene_is (EARLY_A, 0, FALSE);
  g_assert_false (early_waits (early_scene.lanes, early_scene.lane));
  early_scene_remove ();
  lanes_put (early_scene.lanes, early_scene.lane, LANE_DONE);
  g_assert_cmpint (early_scene.lane->list.state, ==, LANE_IDLE);
  early_scene_end ();
}

/* It waits until the worker has given the lane back. */
static void
test_has_work (void)
{
  early_scene_begin ();
  lanes_wake (early_scene.lanes, early_scene.lane);
  g_assert_true (lanes_given (early_scene.lanes, early_scene.pg) == early_scene.lane);
  lane_about_to_read (early_scene.lanes, early_scene.lane);
  early_scene_offer (EARLY_A, 0);
  lanes_put (early_scene.lanes, early_scene.lane, LANE_DONE);
  g_assert_true (lanes_given (early_scene.lanes, early_scene.pg) == early_scene.lane);
  g_assert_true (early_waits (early_scene.lanes, early_scene.lane));
  early_scene_end ();
}

static void
test_several (void)
{
  early_scene_begin ();
  for (int step = 0; step < 9; step++)
    early_scene_offer (EARLY_A, step);
  g_assert_cmpuint (early_scene.lane->list.early->len, ==, 8);
  g_assert_cmpuint (g_queue_get_length (lanes_queue (early_scene.lanes, early_scene.lane)), ==, 1);
  for (int step = 0; step < 8; step++) {
    early_scene_read (NULL);
    early_scene_is (EARLY_A, step, FALSE);
    early_scene_remove ();
  }
  early_scene_end ();
}

static void
test_states_that_refuse (void)
{
  early_scene_begin ();
  early_offer (early_scene.lanes, &early_scene.job, EARLY_LANE - 1,
               &(Work){ (char *)EARLY_A, 0, 0 }, FALSE);
  g_assert_cmpuint (early_scene.lane->list.early->len, ==, 0); /* that lane is another process's */
  early_scene.lane->list.state = LANE_HELD;
  is_refused ();
  early_scene.lane->list.state = LANE_AWAY;
  is_refused ();
  early_scene.lane->list.state = LANE_IDLE;
  early_scene.lanes->solitary = early_scene.lane;
  is_refused ();
  early_scene.lanes->solitary = NULL;
  early_scene.lane->list.revoked = TRUE;
  is_refused ();
  early_scene.lane->list.revoked = FALSE;
  make_errands ();
  is_refused ();
  early_scene.job.code = NULL;
  early_scene.job.kind = job_kind_of (NULL, NULL);
  lanes_stop (early_scene.lanes);
  is_refused ();
  early_scene_end ();
}

/* Steps stop where much of what they publish is not acknowledged. */
static void
test_still_sending (void)
{
  early_scene_begin ();
  Sending sending = { 0 };
  for (int i = 0; i < 8; i++)
    g_queue_push_tail (&early_scene.lane->list.sendings, &sending);
  is_refused ();
  (void)g_queue_pop_head (&early_scene.lane->list.sendings);
  early_scene_offer (EARLY_A, 0);
  g_assert_true (early_waits (early_scene.lanes, early_scene.lane));
  g_queue_clear (&early_scene.lane->list.sendings);
  early_scene_end ();
}

/* A message that may have killed a process is read, and counted, before its run begins. */
static void
test_fresh (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_A, 0);
  early_refuse (early_scene.lanes, early_scene.lane);
  g_assert_false (early_waits (early_scene.lanes, early_scene.lane));
  is_refused ();
  atomic_store (&early_scene.lane->suspects.fresh_until_us, 0);
  is_refused ();
  early_scene_end ();
}

static void
test_children (void)
{
  early_scene_begin ();
  const Work child = { (char *)EARLY_B, 0, 0 };
  atomic_store (&early_scene.lane->suspects.fresh_until_us, 0);
  early_offer (early_scene.lanes, &early_scene.job, EARLY_LANE, &child, TRUE);
  g_assert_false (early_waits (early_scene.lanes, early_scene.lane));
  make_errands ();
  early_offer (early_scene.lanes, &early_scene.job, EARLY_LANE, &child, TRUE);
  early_scene_read (NULL);
  early_scene_is (EARLY_B, 0, FALSE);
  early_scene_end ();
}

static void
test_the_next_step (void)
{
  early_scene_begin ();
  early_scene_offer (EARLY_B, 0);
  early_scene_read (early_scene_message (EARLY_A, 2, 0));
  early_scene_commit (EARLY_A, 2, 1000, TRUE);
  early_scene_commit (EARLY_A, 2, 0, FALSE);
  g_assert_cmpuint (early_scene.lane->list.early->len, ==, 1);
  early_scene_commit (EARLY_A, 2, 0, TRUE);
  early_scene_remove ();
  early_scene_read (NULL);
  early_scene_is (EARLY_A, 3, FALSE);
  early_scene_remove ();
  early_scene_read (NULL);
  early_scene_is (EARLY_B, 0, FALSE);
  early_scene_end ();
}

static void
test_others_that_are_pending_go_first (void)
{
  early_scene_begin ();
  g_autoptr (GPtrArray) messages = g_ptr_array_new ();
  g_ptr_array_add (messages, early_scene_message (EARLY_A, 2, 0));
  g_ptr_array_add (messages, early_scene_message (EARLY_B, 0, 0));
  early_read (early_scene.lanes, early_scene.lane, messages);
  early_scene_commit (EARLY_A, 2, 0, TRUE);
  g_assert_false (early_waits (early_scene.lanes, early_scene.lane));
  early_scene_end ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/lane/early/idle", test_idle);
  g_test_add_func ("/lane/early/has_work", test_has_work);
  g_test_add_func ("/lane/early/several", test_several);
  g_test_add_func ("/lane/early/refused", test_states_that_refuse);
  g_test_add_func ("/lane/early/still_sending", test_still_sending);
  g_test_add_func ("/lane/early/fresh", test_fresh);
  g_test_add_func ("/lane/early/children", test_children);
  g_test_add_func ("/lane/early/next", test_the_next_step);
  g_test_add_func ("/lane/early/others", test_others_that_are_pending_go_first);
  return g_test_run ();
}
