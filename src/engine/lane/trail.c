#include "engine/lane/trail.h"

#include "engine/lane/lane_private.h"

#define MOST 4096 /* messages of a partition are remembered, or up to twice as many: 128 KB */

/* With the lock. */
static void
remember (Lane *lane, gint64 offset, gint64 timestamp_ms)
{
  const Taken taken = { offset, timestamp_ms };
  if (lane->trail->len > 0
      && g_array_index (lane->trail, Taken, lane->trail->len - 1).offset >= offset)
    return; /* it was delivered again */
  g_array_append_val (lane->trail, taken);
}

/* With the lock. */
static void
forget_oldest (Lane *lane)
{
  if (lane->trail->len < 2 * MOST)
    return;
  guint n = lane->trail->len - MOST;
  g_array_remove_range (lane->trail, 0, n);
  lane->trail_checked -= MIN (lane->trail_checked, n);
}

void
trail_begin (Lanes *lanes, Lane *lane, gint64 mine, gint64 last_ms)
{
  pthread_mutex_lock (&lanes->lock);
  lane->mine = mine;
  lane->mine_last_ms = last_ms;
  lane->begun++;
  g_array_set_size (lane->trail, 0);
  lane->trail_checked = 0;
  if (mine > 0 && last_ms != 0)
    remember (lane, mine - 1, last_ms);
  pthread_mutex_unlock (&lanes->lock);
}

void
trail_add (Lanes *lanes, Lane *lane, guint n, gint64 mine, gint64 last_ms)
{
  pthread_mutex_lock (&lanes->lock);
  lane->mine = mine;
  lane->mine_last_ms = last_ms;
  for (guint i = 0; i < n; i++) {
    const KafkaMessage *message = g_array_index (lane->pending, LaneMessage, i).message;
    remember (lane, message->offset, message->timestamp_ms);
  }
  forget_oldest (lane);
  pthread_mutex_unlock (&lanes->lock);
}

Stretch
trail_others (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  Stretch others = lane->others;
  pthread_mutex_unlock (&lanes->lock);
  return others.from < lane->mine ? others : (Stretch){ 0, 0 };
}

void
trail_settle (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->others = (Stretch){ 0, 0 };
  pthread_mutex_unlock (&lanes->lock);
}

/* --- comparing
 * ---------------------------------------------------------------------------------------- */

void
trail_clear (Trail *trail)
{
  g_clear_pointer (&trail->taken, g_array_unref);
}

/* With the lock. */
static Lane *
lane_of (Lanes *lanes, const char *topic, gint32 number)
{
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->job == NULL && !lane->revoked && lane->number == number
        && g_str_equal (lane->topic, topic))
      return lane;
  }
  return NULL;
}

gboolean
trail_copy (Lanes *lanes, const char *topic, gint32 number, Trail *trail)
{
  pthread_mutex_lock (&lanes->lock);
  const Lane *lane = lane_of (lanes, topic, number);
  if (lane != NULL)
    *trail = (Trail){ g_array_copy (lane->trail), lane->trail_checked, lane->begun, lane->mine };
  pthread_mutex_unlock (&lanes->lock);
  return lane != NULL;
}

gboolean
trail_set_astray (Lanes *lanes, const char *topic, gint32 number, guint begun)
{
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lane_of (lanes, topic, number);
  gboolean set = lane != NULL && lane->begun == begun;
  if (set)
    lane_set_astray (lanes, lane);
  pthread_mutex_unlock (&lanes->lock);
  return set;
}

void
trail_compared (Lanes *lanes, const char *topic, gint32 number, const Trail *trail,
                const Stretch *others)
{
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lane_of (lanes, topic, number);
  if (lane != NULL && lane->begun == trail->begun && others->from < others->to) {
    lane->others = *others;
    lane_set_astray (lanes, lane);
  } else if (lane != NULL && lane->begun == trail->begun && trail->taken->len > 0) {
    const gint64 last = g_array_index (trail->taken, Taken, trail->taken->len - 1).offset;
    while (lane->trail_checked + 1 < lane->trail->len
           && g_array_index (lane->trail, Taken, lane->trail_checked + 1).offset <= last)
      lane->trail_checked++;
  }
  pthread_mutex_unlock (&lanes->lock);
}
