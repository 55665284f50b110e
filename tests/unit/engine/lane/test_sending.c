/* A lane's offset follows the oldest of the bundles that are being sent. The bundles are empty, so
 * that no broker is asked. */
#include "engine/lane/sending.h"
#include "support/lanes.h"

typedef struct {
  Service service;
  Lane *lane;
  Job job;
} Scene;

static void
begin (Scene *scene)
{
  *scene = (Scene){ .job = { .name = "a.b" } };
  scene->service.lanes = lanes_new (1);
  scene->service.publisher = publisher_new (NULL, "p");
  scene->lane = lanes_with (scene->service.lanes, "p.work.a.b", 3, &scene->job);
}

static void
end (Scene *scene)
{
  lanes_free (scene->service.lanes);
  publisher_free (scene->service.publisher);
}

/* What is sent for a step that began when all messages below BEFORE were handled. */
static Sending *
send (const Scene *scene, gint64 before)
{
  Sending *sending = g_new0 (Sending, 1);
  *sending = (Sending){ .lanes = scene->service.lanes,
                        .lane = scene->lane,
                        .publisher = scene->service.publisher,
                        .bundle = bundle_new ("run", 0, "a.b", 0),
                        .before = before };
  g_queue_push_tail (&scene->lane->list.sendings, sending);
  return sending;
}

/* 40 messages are handled. */
static gint64
handled (Scene *scene)
{
  scene->lane->worker.end_seen = 40;
  sending_note_handled (&scene->service, scene->lane);
  return atomic_load (&scene->lane->progress.handled);
}

static void
test_nothing_is_sent (void)
{
  Scene scene;
  begin (&scene);
  g_assert_cmpint (handled (&scene), ==, 40);
  end (&scene);
}

static void
test_up_to_the_first_that_is_not_acknowledged (void)
{
  Scene scene;
  begin (&scene);
  Sending *first = send (&scene, 10), *second = send (&scene, 20);
  Sending *third = send (&scene, 30);
  third->done = TRUE;
  g_assert_cmpint (handled (&scene), ==, -1);
  first->done = TRUE;
  g_assert_cmpint (handled (&scene), ==, 20);
  g_assert_cmpint (scene.lane->list.sendings.length, ==, 2);
  second->done = TRUE;
  g_assert_cmpint (handled (&scene), ==, 40);
  g_assert_cmpint (scene.lane->list.sendings.length, ==, 0);
  end (&scene);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lane/sending/nothing", test_nothing_is_sent);
  g_test_add_func ("/lane/sending/first", test_up_to_the_first_that_is_not_acknowledged);
  return g_test_run ();
}
