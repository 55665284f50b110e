#include "support/early.h"

#define TOPIC "p.work.a.b"

EarlyScene early_scene;

void
early_scene_begin (void)
{
  const PgSettings settings = { 0 };
  early_scene = (EarlyScene){
    .lanes = lanes_new (2),
    .job = { .name = "a.b", .number = 1, .kind = job_kind_of (NULL, NULL), .capacity = 4 },
    .pg = pg_new (&settings),
    .offset = 40
  };
  early_scene.lane = lanes_with (early_scene.lanes, TOPIC, EARLY_LANE, &early_scene.job);
  atomic_store (&early_scene.lane->suspects.fresh_until_us, 1);
}

void
early_scene_end (void)
{
  lanes_free (early_scene.lanes);
  pg_free (early_scene.pg);
}

void
early_scene_offer (const char *run_id, int step)
{
  early_offer (early_scene.lanes, &early_scene.job, EARLY_LANE, &(Work){ (char *)run_id, step, 0 },
               FALSE);
}

KafkaMessage *
early_scene_message (const char *run_id, int step, int attempt)
{
  KafkaMessage *message = kafka_message_new (TOPIC, EARLY_LANE);
  g_autofree char *text = g_strdup_printf (
      "{\"run_id\":\"%s\",\"job\":\"a.b\",\"step\":%d,\"attempt\":%d,"
      "\"scheduled_at\":\"2026-01-01T00:00:00Z\",\"due_at\":\"2026-01-01T00:00:00Z\",\"args\":{},"
      "\"cursor\":null}",
      run_id, step, attempt);
  kafka_message_set_value (message, text, strlen (text));
  kafka_message_add_header (message, "ce_type", "pruned.Work");
  message->offset = early_scene.offset++;
  return message;
}

void
early_scene_read (KafkaMessage *message)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new ();
  if (message != NULL)
    g_ptr_array_add (messages, message);
  early_read (early_scene.lanes, early_scene.lane, messages);
}

void
early_scene_is (const char *run_id, int step, gboolean by_message)
{
  g_assert_cmpuint (early_scene.lane->worker.pending->len, ==, 1);
  const Pending *first = &g_array_index (early_scene.lane->worker.pending, Pending, 0);
  g_assert_cmpstr (first->work.run_id, ==, run_id);
  g_assert_cmpint (first->work.step, ==, step);
  g_assert_cmpint (first->message != NULL, ==, by_message);
  g_assert_cmpint (lane_first_offset (early_scene.lane), ==,
                   by_message ? early_scene.offset - 1 : -1);
}

void
early_scene_remove (void)
{
  g_array_remove_index (early_scene.lane->worker.pending, 0);
}

void
early_scene_commit (const char *run_id, int step, gint64 delay_ms, gboolean continues)
{
  Run run = { .run_id = (char *)run_id, .job = &early_scene.job, .slot = EARLY_LANE, .step = step };
  const Step done
      = { .job = &early_scene.job, .run = &run, .continues = continues, .next_delay_ms = delay_ms };
  early_step_done (early_scene.lanes, early_scene.lane, &done);
}

void
early_scene_do (const char *run_id, int step)
{
  early_scene_offer (run_id, step);
  early_scene_read (NULL);
  early_scene_is (run_id, step, FALSE);
  early_scene_commit (run_id, step, 0, FALSE);
  early_scene_remove ();
}

gboolean
early_scene_drops (const char *run_id, int step)
{
  early_scene_read (early_scene_message (run_id, step, 0));
  if (early_scene.lane->worker.pending->len == 0)
    return TRUE;
  early_scene_is (run_id, step, TRUE);
  early_scene_remove ();
  return FALSE;
}
