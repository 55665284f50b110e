#include "engine/lane/copy.h"

#include "engine/lane/lane_private.h"
#include "engine/ledger/run.h"

#define NO_OFFSET (-1)

/* With the lock. */
static void
keep (Lane *lane, KafkaMessage *message)
{
  message->offset = NO_OFFSET;
  kafka_message_free (lane->list.copy);
  lane->list.copy = message;
}

/* With the lock. NULL: no lane here can begin. */
static Lane *
idle_lane_of (const Lanes *lanes, const KafkaMessage *message)
{
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->number == message->partition && g_str_equal (lane->topic, message->topic))
      return lane->list.state == LANE_IDLE && !lane->list.revoked && lane->job != NULL
                     && job_is_errand (lane->job)
                 ? lane
                 : NULL;
  }
  return NULL;
}

void
copy_begin (Lanes *lanes, KafkaMessage *message)
{
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lanes->stopping ? NULL : idle_lane_of (lanes, message);
  if (lane != NULL) {
    keep (lane, message);
    lanes_make_ready (lanes, lane);
  }
  pthread_mutex_unlock (&lanes->lock);
  if (lane == NULL)
    kafka_message_free (message);
}

void
copy_go_on (Lanes *lanes, Lane *lane, KafkaMessage *message)
{
  pthread_mutex_lock (&lanes->lock);
  keep (lane, message);
  pthread_mutex_unlock (&lanes->lock);
}

gboolean
copy_waits (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean waits = lane->list.copy != NULL && !lane->list.revoked && !lanes->stopping;
  pthread_mutex_unlock (&lanes->lock);
  return waits;
}

KafkaMessage *
copy_take (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  KafkaMessage *message = g_steal_pointer (&lane->list.copy);
  pthread_mutex_unlock (&lanes->lock);
  return message;
}

gboolean
copy_is (const KafkaMessage *message)
{
  return message->offset == NO_OFFSET;
}

void
copy_done (Lane *lane, const char *run_id, int step)
{
  const GArray *pending = lane->worker.pending;
  if (pending->len == 0 || !copy_is (g_array_index (pending, LaneMessage, 0).message))
    return;
  g_clear_pointer (&lane->worker.late, g_array_unref);
  lane->worker.late = works_new ();
  const Work work = { g_strdup (run_id), step, 0 };
  g_array_append_val (lane->worker.late, work);
}

gboolean
copy_is_late (Lane *lane, const KafkaMessage *message)
{
  Work work = { 0 };
  if (lane->worker.late == NULL || !work_decode (message, lane->job, &work, NULL))
    return FALSE;
  const Work *late = &g_array_index (lane->worker.late, Work, 0);
  const gboolean is_late = work.step <= late->step && g_str_equal (work.run_id, late->run_id);
  const gboolean last = is_late && work.step == late->step;
  g_free (work.run_id);
  if (last) /* a second message with this step is none of it: PostgreSQL may have been set back */
    g_clear_pointer (&lane->worker.late, g_array_unref);
  return is_late;
}
