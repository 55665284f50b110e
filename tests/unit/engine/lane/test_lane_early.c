/* A lane that has nothing to do gets a run before its message comes. */
#include "engine/ledger/run.h"
#include "support/lanes.h"
#include "support/played.h"

typedef struct {
  Lanes *lanes;
  Lane *lane;
  Job job;
  Pg *pg;
  int step;
} Scene;

static void
begin (Scene *scene)
{
  const PgSettings settings = { 0 };
  *scene = (Scene){ .lanes = lanes_new (2),
                    .job = { .name = "a.b", .number = 1 },
                    .pg = pg_new (&settings) };
  scene->lane = lanes_with (scene->lanes, "p.work.a.b", 3, &scene->job);
}

static void
offer (const Scene *scene, gint32 number)
{
  GArray *works = works_new ();
  const Work work = { g_strdup ("a run"), scene->step, 0 };
  g_array_append_val (works, work);
  lanes_offer_early (scene->lanes, &scene->job, number, works);
}

static gboolean
is_offered (const Scene *scene)
{
  return scene->lane->list.early.length > 0;
}

static void
end (Scene *scene)
{
  lanes_free (scene->lanes);
  pg_free (scene->pg);
}

static void
test_idle (void)
{
  Scene scene;
  begin (&scene);
  offer (&scene, 3);
  g_assert_true (lanes_take (scene.lanes, FALSE, scene.pg) == scene.lane);
  g_autoptr (GArray) works = lane_take_early (scene.lanes, scene.lane);
  g_assert_nonnull (works);
  g_assert_null (lane_take_early (scene.lanes, scene.lane));
  lanes_put (scene.lanes, scene.lane, LANE_DONE, 0);
  g_assert_cmpint (scene.lane->list.state, ==, LANE_IDLE);
  end (&scene);
}

static void
test_of_another_process (void)
{
  Scene scene;
  begin (&scene);
  offer (&scene, 2);
  g_assert_false (is_offered (&scene));
  end (&scene);
}

/* They are taken one after the other. */
static void
test_several (void)
{
  Scene scene;
  begin (&scene);
  for (scene.step = 0; scene.step < 9; scene.step++)
    offer (&scene, 3);
  g_assert_cmpuint (scene.lane->list.early.length, ==, 8);
  g_assert_cmpuint (g_queue_get_length (lanes_queue (scene.lanes, scene.lane)), ==, 1);
  for (int step = 0; step < 8; step++) {
    g_assert_true (lanes_take (scene.lanes, FALSE, scene.pg) == scene.lane);
    g_autoptr (GArray) works = lane_take_early (scene.lanes, scene.lane);
    g_assert_cmpint (g_array_index (works, Work, 0).step, ==, step);
    lanes_put (scene.lanes, scene.lane, LANE_DONE, 0);
  }
  g_assert_cmpint (scene.lane->list.state, ==, LANE_IDLE);
  end (&scene);
}

/* It waits until the worker has given the lane back. */
static void
test_has_work (void)
{
  Scene scene;
  begin (&scene);
  lanes_wake (scene.lanes, scene.lane);
  g_assert_true (lanes_take (scene.lanes, FALSE, scene.pg) == scene.lane);
  lane_about_to_read (scene.lanes, scene.lane);
  offer (&scene, 3);
  lanes_put (scene.lanes, scene.lane, LANE_DONE, 0);
  g_assert_true (lanes_take (scene.lanes, FALSE, scene.pg) == scene.lane);
  g_assert_true (is_offered (&scene));
  end (&scene);
}

static void
test_its_message_has_come (void)
{
  Scene scene;
  begin (&scene);
  for (scene.step = 0; scene.step < 3; scene.step++)
    offer (&scene, 3);
  g_autoptr (GArray) works = works_new ();
  const Work work = { g_strdup ("a run"), 1, 0 }, other = { g_strdup ("another"), 0, 0 };
  g_array_append_val (works, work);
  g_array_append_val (works, other);
  lane_forget_early (scene.lanes, scene.lane, works);
  for (int step = 0; step < 3; step += 2) {
    g_autoptr (GArray) left = lane_take_early (scene.lanes, scene.lane);
    g_assert_cmpint (g_array_index (left, Work, 0).step, ==, step);
  }
  g_assert_false (is_offered (&scene));
  end (&scene);
}

static void
test_held (void)
{
  Scene scene;
  begin (&scene);
  scene.lane->list.state = LANE_HELD;
  offer (&scene, 3);
  g_assert_false (is_offered (&scene));
  end (&scene);
}

/* Steps stop where much of what they publish is not acknowledged. */
static void
test_still_sending (void)
{
  Scene scene;
  begin (&scene);
  Sending sending = { 0 };
  for (int i = 0; i < 8; i++)
    g_queue_push_tail (&scene.lane->list.sendings, &sending);
  offer (&scene, 3);
  g_assert_false (is_offered (&scene));
  (void)g_queue_pop_head (&scene.lane->list.sendings);
  offer (&scene, 3);
  g_assert_true (is_offered (&scene));
  g_queue_clear (&scene.lane->list.sendings);
  end (&scene);
}

static void
test_another_is_alone (void)
{
  Scene scene;
  begin (&scene);
  scene.lanes->alone = scene.lane;
  offer (&scene, 3);
  g_assert_false (is_offered (&scene));
  scene.lanes->alone = NULL;
  end (&scene);
}

static void
test_given_up (void)
{
  Scene scene;
  begin (&scene);
  scene.lane->list.revoked = TRUE;
  offer (&scene, 3);
  g_assert_false (is_offered (&scene));
  scene.lane->list.revoked = FALSE;
  lanes_stop (scene.lanes);
  offer (&scene, 3);
  g_assert_false (is_offered (&scene));
  end (&scene);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lane/early/idle", test_idle);
  g_test_add_func ("/lane/early/of_another_process", test_of_another_process);
  g_test_add_func ("/lane/early/several", test_several);
  g_test_add_func ("/lane/early/its_message_has_come", test_its_message_has_come);
  g_test_add_func ("/lane/early/held", test_held);
  g_test_add_func ("/lane/early/has_work", test_has_work);
  g_test_add_func ("/lane/early/still_sending", test_still_sending);
  g_test_add_func ("/lane/early/another_alone", test_another_is_alone);
  g_test_add_func ("/lane/early/given_up", test_given_up);
  return g_test_run ();
}
