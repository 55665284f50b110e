/* A worker keeps its lane while no other waits for a worker. */
#include "support/lanes.h"
#include "support/played.h"

typedef struct {
  Lanes *lanes;
  Lane *lane, *other;
  Job job, job_of_other;
  Pg *pg;
} Scene;

/* A worker holds the lane; nothing waits for the other one. */
static void
begin (Scene *scene)
{
  const PgSettings settings = { 0 };
  *scene = (Scene){ .lanes = lanes_new (2),
                    .job = { .name = "a.b" },
                    .job_of_other = { .name = "c.d", .number = 1 },
                    .pg = pg_new (&settings) };
  scene->lane = lanes_with (scene->lanes, "p.work.a.b", 0, &scene->job);
  scene->other = lanes_with (scene->lanes, "p.work.c.d", 0, &scene->job_of_other);
  lanes_wake (scene->lanes, scene->lane);
  g_assert_true (lanes_given (scene->lanes, scene->pg) == scene->lane);
}

static gboolean
is_kept (const Scene *scene)
{
  return lanes_keep (scene->lanes, scene->lane, scene->pg);
}

static void
end (Scene *scene)
{
  lanes_free (scene->lanes);
  pg_free (scene->pg);
}

static void
test_alone (void)
{
  Scene scene;
  begin (&scene);
  lane_note_run (scene.lanes, scene.lane, "7fecac87-579a-560b-ad38-6378e9e225c0");
  g_assert_true (is_kept (&scene));
  g_assert_cmpstr (scene.lane->list.run_id, ==, "");
  g_assert_cmpint (scene.lane->list.state, ==, LANE_RUNNING);
  g_assert_cmpuint (scene.lanes->running, ==, 1);
  end (&scene);
}

/* Lanes take turns, as if it had been put. */
static void
test_another_is_ready (void)
{
  Scene scene;
  begin (&scene);
  lanes_wake (scene.lanes, scene.other);
  g_assert_false (is_kept (&scene));
  lanes_put (scene.lanes, scene.lane, LANE_AGAIN);
  g_assert_true (lanes_given (scene.lanes, scene.pg) == scene.other);
  lanes_put (scene.lanes, scene.other, LANE_DONE);
  g_assert_true (lanes_given (scene.lanes, scene.pg) == scene.lane);
  end (&scene);
}

/* Its time is up, and nobody has looked yet. */
static void
test_another_was_held (void)
{
  Scene scene;
  begin (&scene);
  lanes_wake (scene.lanes, scene.other);
  g_assert_true (lanes_given (scene.lanes, scene.pg) == scene.other);
  scene.other->worker.hold_us = G_USEC_PER_SEC * 600;
  lanes_put (scene.lanes, scene.other, LANE_HOLD);
  g_assert_true (is_kept (&scene));
  scene.other->list.hold_until_us = 1;
  g_assert_false (is_kept (&scene));
  end (&scene);
}

static void
test_alone_is_wanted (void)
{
  Scene scene;
  begin (&scene);
  scene.lanes->solitary = scene.other;
  g_assert_false (is_kept (&scene));
  end (&scene);
}

static void
test_revoked (void)
{
  Scene scene;
  begin (&scene);
  scene.lane->list.revoked = TRUE;
  g_assert_false (is_kept (&scene));
  end (&scene);
}

static void
test_stopping (void)
{
  Scene scene;
  begin (&scene);
  lanes_stop (scene.lanes);
  g_assert_false (is_kept (&scene));
  end (&scene);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lane/keep/alone", test_alone);
  g_test_add_func ("/lane/keep/another_ready", test_another_is_ready);
  g_test_add_func ("/lane/keep/another_held", test_another_was_held);
  g_test_add_func ("/lane/keep/alone_wanted", test_alone_is_wanted);
  g_test_add_func ("/lane/keep/revoked", test_revoked);
  g_test_add_func ("/lane/keep/stopping", test_stopping);
  return g_test_run ();
}
