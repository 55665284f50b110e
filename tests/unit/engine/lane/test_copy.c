/* Steps that begin before their message has come. */
#include "engine/lane/copy.h"

#include "avro/message.h"
#include "engine/ledger/run.h"
#include "support/lanes.h"
#include "support/played.h"

#define TOPIC "p.work.a.b"
#define RUN "7fecac87-579a-560b-ad38-6378e9e225c0"
#define OTHER_RUN "7fecac87-579a-560b-ad38-6378e9e225c1"

typedef struct {
  Lanes *lanes;
  Lane *lane;
  JobErrand errand;
  JobCode code;
  Job job;
  Pg *pg;
} Scene;

static void
begin (Scene *scene)
{
  const PgSettings settings = { 0 };
  *scene = (Scene){ .lanes = lanes_new (1), .job = { .name = "a.b" }, .pg = pg_new (&settings) };
  scene->code.errand = &scene->errand;
  scene->job.code = &scene->code;
  scene->lane = lanes_with (scene->lanes, TOPIC, 2, &scene->job);
}

static void
end (Scene *scene)
{
  lanes_free (scene->lanes);
  pg_free (scene->pg);
}

/* As the broker would bring it. */
static KafkaMessage *
message_of (const char *run_id, int step)
{
  KafkaMessage *message = kafka_message_new (TOPIC, 2);
  g_autofree char *text = g_strdup_printf (
      "{\"run_id\":\"%s\",\"job\":\"a.b\",\"step\":%d,\"attempt\":0,"
      "\"scheduled_at\":\"2026-01-01T00:00:00Z\",\"due_at\":\"2026-01-01T00:00:00Z\",\"args\":{},"
      "\"cursor\":null}",
      run_id, step);
  kafka_message_set_value (message, text, strlen (text));
  kafka_message_add_header (message, "ce_type", "pruned.Work");
  message->offset = 7;
  return message;
}

static gboolean
is_late (const Scene *scene, const char *run_id, int step)
{
  g_autoptr (KafkaMessage) message = message_of (run_id, step);
  return copy_is_late (scene->lane, message);
}

static void
test_idle_lane_begins (void)
{
  Scene scene;
  begin (&scene);
  copy_begin (scene.lanes, message_of (RUN, 0));
  g_assert_true (lanes_take (scene.lanes, FALSE, scene.pg) == scene.lane);
  g_assert_true (copy_waits (scene.lanes, scene.lane));
  g_autoptr (KafkaMessage) message = copy_take (scene.lanes, scene.lane);
  g_assert_true (copy_is (message));
  g_assert_false (copy_waits (scene.lanes, scene.lane));
  end (&scene);
}

/* Its message follows anyway. */
static void
test_others_wait_for_the_message (void)
{
  Scene scene;
  begin (&scene);
  KafkaMessage *elsewhere = message_of (RUN, 0);
  elsewhere->partition = 1;
  copy_begin (scene.lanes, elsewhere);
  scene.code.errand = NULL;
  copy_begin (scene.lanes, message_of (RUN, 0));
  scene.code.errand = &scene.errand;
  scene.lane->list.revoked = TRUE;
  copy_begin (scene.lanes, message_of (RUN, 0));
  scene.lane->list.revoked = FALSE;
  lanes_wake (scene.lanes, scene.lane);
  copy_begin (scene.lanes, message_of (RUN, 0));
  g_assert_null (scene.lane->list.copy);
  end (&scene);
}

static void
do_by_a_copy (const Scene *scene, int step)
{
  copy_continue (scene->lanes, scene->lane, message_of (RUN, step));
  const LaneMessage pending = { .message = copy_take (scene->lanes, scene->lane) };
  g_array_append_val (scene->lane->worker.pending, pending);
  copy_done (scene->lane, RUN, step);
  g_array_remove_index (scene->lane->worker.pending, 0);
}

/* The second of the same step is no copy of what was done: PostgreSQL decides about it. */
static void
test_its_message_comes_too_late_once (void)
{
  Scene scene;
  begin (&scene);
  do_by_a_copy (&scene, 2);
  do_by_a_copy (&scene, 3);
  g_assert_false (is_late (&scene, OTHER_RUN, 3));
  g_assert_false (is_late (&scene, RUN, 4));
  g_assert_true (is_late (&scene, RUN, 2));
  g_assert_false (is_late (&scene, RUN, 2));
  g_assert_true (is_late (&scene, RUN, 3));
  g_assert_false (is_late (&scene, RUN, 3));
  end (&scene);
}

/* PostgreSQL was set back, and Kafka has lost the message that would end the waiting: the messages
 * that housekeeping sends again are not those of copies. */
static void
test_a_step_that_no_copy_has_done_is_not_late (void)
{
  Scene scene;
  begin (&scene);
  do_by_a_copy (&scene, 3);
  do_by_a_copy (&scene, 4);
  g_assert_false (is_late (&scene, RUN, 1));
  g_assert_true (is_late (&scene, RUN, 4));
  g_assert_false (is_late (&scene, RUN, 3));
  end (&scene);
}

static void
test_a_message_leaves_nothing_behind (void)
{
  Scene scene;
  begin (&scene);
  const LaneMessage pending = { .message = message_of (RUN, 3) };
  g_array_append_val (scene.lane->worker.pending, pending);
  copy_done (scene.lane, RUN, 3);
  g_assert_false (is_late (&scene, RUN, 3));
  end (&scene);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/lane/copy/idle", test_idle_lane_begins);
  g_test_add_func ("/lane/copy/others", test_others_wait_for_the_message);
  g_test_add_func ("/lane/copy/late", test_its_message_comes_too_late_once);
  g_test_add_func ("/lane/copy/set back", test_a_step_that_no_copy_has_done_is_not_late);
  g_test_add_func ("/lane/copy/message", test_a_message_leaves_nothing_behind);
  return g_test_run ();
}
