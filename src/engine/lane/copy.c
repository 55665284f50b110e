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
copy_continue (Lanes *lanes, Lane *lane, KafkaMessage *message)
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
  if (lane->worker.late == NULL)
    lane->worker.late = works_new ();
  const Work work = { g_strdup (run_id), step, 0 };
  g_array_append_val (lane->worker.late, work);
}

/* A message that was lost does not come behind a later one either. A second one with such a step is
 * no copy of it: PostgreSQL was set back, perhaps. */
gboolean
copy_is_late (Lane *lane, const KafkaMessage *message)
{
  GArray *late = lane->worker.late;
  Work work = { 0 };
  guint found = 0;
  if (late == NULL || late->len == 0 || !work_decode (message, lane->job, &work, NULL))
    return FALSE;
  for (guint i = 0; i < late->len && found == 0; i++) {
    const Work *one = &g_array_index (late, Work, i);
    if (work.step == one->step && g_str_equal (work.run_id, one->run_id))
      found = i + 1;
  }
  g_free (work.run_id);
  if (found > 0)
    g_array_remove_range (late, 0, found);
  return found > 0;
}
