/* A lane that was given up while something still refers to it is listed, and cancelled, by a stop.
 */
#include "support/lanes.h"
#include "support/played.h"

#define RUN "7fecac87-579a-560b-ad38-6378e9e225c0"

static guint cancelled;

static void
note_cancel (gpointer leased)
{
  (void)leased;
  cancelled++;
}

static void
free_nothing (gpointer leased)
{
  (void)leased;
}

static const JobErrand code = { .cancel = note_cancel, .free = free_nothing };

typedef struct {
  Lanes *lanes;
  Lane *lane;
  Job job;
  Pg *pg;
} Scene;

/* A worker holds the lane, and steps RUN. */
static void
begin (Scene *scene)
{
  const PgSettings settings = { 0 };
  *scene = (Scene){ .lanes = lanes_new (1), .job = { .name = "a.b" }, .pg = pg_new (&settings) };
  cancelled = 0;
  scene->lane = lanes_with (scene->lanes, "p.work.a.b", 3, &scene->job);
  lanes_wake (scene->lanes, scene->lane);
  g_assert_true (lanes_given (scene->lanes, scene->pg) == scene->lane);
  lane_note_run (scene->lanes, scene->lane, RUN);
}

static void
end (Scene *scene)
{
  lanes_free (scene->lanes);
  pg_free (scene->pg);
}

static void
give_up (const Scene *scene)
{
  g_autoptr (GPtrArray) revoked = g_ptr_array_new ();
  g_ptr_array_add (revoked, scene->lane);
  lanes_revoke (scene->lanes, revoked, TRUE, 0);
}

static guint
halted (const Scene *scene)
{
  g_autoptr (GPtrArray) running = g_ptr_array_new_with_free_func (g_free);
  lanes_halt (scene->lanes, TRUE, running);
  for (guint i = 0; i < running->len; i++)
    g_assert_cmpstr (running->pdata[i], ==, RUN);
  return running->len;
}

static void
test_a_step (void)
{
  Scene scene;
  begin (&scene);
  g_assert_cmpuint (halted (&scene), ==, 1);
  give_up (&scene);
  g_assert_cmpuint (halted (&scene), ==, 1);
  lanes_put (scene.lanes, scene.lane, LANE_DONE);
  g_assert_cmpuint (halted (&scene), ==, 0);
  end (&scene);
}

static void
test_an_errand (void)
{
  Scene scene;
  begin (&scene);
  Errand *errand = g_new0 (Errand, 1);
  *errand = (Errand){ .lanes = scene.lanes, .lane = scene.lane, .code = &code };
  scene.lane->list.errand = errand;
  scene.lanes->acting++;
  lanes_put (scene.lanes, scene.lane, LANE_GO_AWAY);
  give_up (&scene);
  guint before = cancelled;
  g_assert_cmpuint (halted (&scene), ==, 1);
  g_assert_cmpuint (cancelled, ==, before + 1);
  errand_done (errand);
  g_assert_true (lanes_given (scene.lanes, scene.pg) == scene.lane);
  lane_end_errand (scene.lanes, scene.lane);
  lanes_put (scene.lanes, scene.lane, LANE_DONE);
  g_assert_cmpuint (halted (&scene), ==, 0);
  end (&scene);
}

/* What was sent while a worker held the lane is recorded by a worker that takes it again. */
static void
test_what_was_sent_meanwhile (void)
{
  Scene scene;
  begin (&scene);
  Sending sending = { .lanes = scene.lanes, .lane = scene.lane, .done = TRUE };
  g_queue_push_tail (&scene.lane->list.sendings, &sending);
  scene.lane->list.revoked = TRUE;
  lanes_put (scene.lanes, scene.lane, LANE_DONE);
  g_assert_true (lanes_given (scene.lanes, scene.pg) == scene.lane);
  g_queue_clear (&scene.lane->list.sendings);
  lanes_put (scene.lanes, scene.lane, LANE_DONE);
  end (&scene);
}

/* All lanes stand still for one that is alone: an errand that begins while they come to rest ends
 * soon. */
static void
test_an_errand_that_begins_before_another_is_alone (void)
{
  Scene scene;
  Lane other = { 0 };
  begin (&scene);
  Errand *errand = g_new0 (Errand, 1);
  *errand = (Errand){ .lanes = scene.lanes, .lane = scene.lane, .code = &code };
  scene.lane->list.errand = errand;
  scene.lanes->acting++;
  scene.lanes->solitary = &other;
  lanes_put (scene.lanes, scene.lane, LANE_GO_AWAY);
  g_assert_cmpuint (cancelled, ==, 1);
  scene.lanes->solitary = NULL;
  errand_done (errand);
  end (&scene);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lane/revoked/step", test_a_step);
  g_test_add_func ("/lane/revoked/errand", test_an_errand);
  g_test_add_func ("/lane/revoked/sent", test_what_was_sent_meanwhile);
  g_test_add_func ("/lane/alone/errand", test_an_errand_that_begins_before_another_is_alone);
  return g_test_run ();
}
