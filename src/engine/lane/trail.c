#include "engine/lane/trail.h"

#include "engine/lane/lane_private.h"

#define REMEMBERED                                                                                 \
  4096 /* messages of a partition that are remembered, up to twice as many: 128 KB */

/* With the lock. */
static void
remember (Lane *lane, gint64 offset, gint64 timestamp_ms)
{
  const Taken taken = { offset, timestamp_ms };
  if (lane->intake.trail->len > 0
      && g_array_index (lane->intake.trail, Taken, lane->intake.trail->len - 1).offset >= offset)
    return; /* a repeated delivery */
  g_array_append_val (lane->intake.trail, taken);
  if (lane->intake.same.offset < 0)
    lane->intake.same = taken;
}

/* With the lock. */
static void
forget_oldest (Lane *lane)
{
  if (lane->intake.trail->len < 2 * REMEMBERED)
    return;
  guint n = lane->intake.trail->len - REMEMBERED;
  g_array_remove_range (lane->intake.trail, 0, n);
  lane->intake.trail_checked -= MIN (lane->intake.trail_checked, n);
}

void
trail_begin (Lanes *lanes, Lane *lane, gint64 mine, gint64 last_ms)
{
  pthread_mutex_lock (&lanes->lock);
  lane->intake.mine = mine;
  lane->intake.mine_last_ms = last_ms;
  lane->intake.begun++;
  atomic_store (&lane->intake.read_to, mine);
  atomic_store (&lane->intake.seen_to, mine);
  lane->worker.end_seen = -1;
  atomic_store (&lane->progress.at_end, FALSE);
  g_array_set_size (lane->intake.trail, 0);
  lane->intake.trail_checked = 0;
  if (lane->intake.same.offset >= mine)
    lane->intake.same.offset = -1;
  if (mine > 0 && last_ms != 0)
    remember (lane, mine - 1, last_ms);
  pthread_mutex_unlock (&lanes->lock);
}

/* --- from lane to lane --- */

static void
left_free (gpointer data)
{
  trail_clear (data);
  g_free (data);
}

GHashTable *
trails_left_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, left_free);
}

static char *
name_of (const Lane *lane)
{
  return g_strdup_printf ("%s:%d", lane->topic, lane->number);
}

void
trail_leave (Lanes *lanes, const Lane *lane)
{
  if (lane->job != NULL || lane->intake.mine <= 0 || lane->intake.trail->len == 0)
    return;
  Trail *left = g_new (Trail, 1);
  *left = (Trail){ g_array_copy (lane->intake.trail), lane->intake.trail_checked, 0,
                   lane->intake.mine, lane->intake.same };
  g_hash_table_replace (lanes->left, name_of (lane), left);
}

void
trail_resume (Lanes *lanes, Lane *lane, gint64 mine, gint64 last_ms, Taken same)
{
  g_autofree char *name = name_of (lane);
  pthread_mutex_lock (&lanes->lock);
  lane->intake.same = same;
  pthread_mutex_unlock (&lanes->lock);
  trail_begin (lanes, lane, mine, last_ms);
  pthread_mutex_lock (&lanes->lock);
  Trail *left = g_hash_table_lookup (lanes->left, name);
  const Taken *last
      = left != NULL ? &g_array_index (left->taken, Taken, left->taken->len - 1) : NULL;
  if (last != NULL && left->mine == mine && last->offset < mine && last->timestamp_ms == last_ms) {
    g_array_unref (lane->intake.trail);
    lane->intake.trail = g_steal_pointer (&left->taken);
    lane->intake.trail_checked = left->checked;
  }
  g_hash_table_remove (lanes->left, name);
  pthread_mutex_unlock (&lanes->lock);
}

void
trail_add (Lanes *lanes, Lane *lane, guint n, gint64 mine, gint64 last_ms)
{
  pthread_mutex_lock (&lanes->lock);
  lane->intake.mine = mine;
  lane->intake.mine_last_ms = last_ms;
  for (guint i = 0; i < n; i++) {
    const KafkaMessage *message = g_array_index (lane->worker.pending, Pending, i).message;
    remember (lane, message->offset, message->timestamp_ms);
  }
  forget_oldest (lane);
  pthread_mutex_unlock (&lanes->lock);
}

void
trail_set_read_to (Lane *lane, gint64 read_to)
{
  atomic_store (&lane->intake.read_to, read_to);
  if (read_to > atomic_load (&lane->intake.seen_to))
    atomic_store (&lane->intake.seen_to, read_to);
}

Stretch
trail_others (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  Stretch others = lane->intake.others;
  pthread_mutex_unlock (&lanes->lock);
  return others.from < lane->intake.mine ? others : (Stretch){ 0, 0 };
}

Taken
trail_same (Lanes *lanes, const Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  const Taken same = lane->intake.same;
  pthread_mutex_unlock (&lanes->lock);
  return same;
}

void
trail_add_same (Lanes *lanes, const Lane *lane, PgValues *values)
{
  const Taken same = trail_same (lanes, lane);
  if (same.offset >= 0) {
    pg_values_int (values, "same_offset", same.offset);
    pg_values_int (values, "same_ms", same.timestamp_ms);
  } else {
    pg_values_set (values, "same_offset", NULL);
    pg_values_set (values, "same_ms", NULL);
  }
}

void
trail_set_same (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->intake.same = (Taken){ lane->intake.mine - 1, lane->intake.mine_last_ms };
  pthread_mutex_unlock (&lanes->lock);
}

void
trail_settle (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  lane->intake.others = (Stretch){ 0, 0 };
  pthread_mutex_unlock (&lanes->lock);
}

/* --- comparing --- */

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
    if (lane->job == NULL && !lane->list.revoked && lane->number == number
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
    *trail = (Trail){ g_array_copy (lane->intake.trail), lane->intake.trail_checked,
                      lane->intake.begun, lane->intake.mine, lane->intake.same };
  pthread_mutex_unlock (&lanes->lock);
  return lane != NULL;
}

/* Lets LANE look up its start position again. With the lock. */
static void
set_astray (Lanes *lanes, Lane *lane)
{
  lane->intake.astray = lane->list.woken = TRUE;
  if (lane->list.state == LANE_IDLE)
    lanes_make_ready (lanes, lane);
}

gboolean
trail_set_astray (Lanes *lanes, const char *topic, gint32 number, guint begun)
{
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lane_of (lanes, topic, number);
  gboolean set = lane != NULL && lane->intake.begun == begun;
  if (set)
    set_astray (lanes, lane);
  pthread_mutex_unlock (&lanes->lock);
  return set;
}

void
trail_note_end (Lanes *lanes, const char *topic, gint32 number, guint begun, gint64 read_to)
{
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lane_of (lanes, topic, number);
  if (lane != NULL && lane->intake.begun == begun && read_to > atomic_load (&lane->intake.read_to))
    trail_set_read_to (lane, read_to);
  pthread_mutex_unlock (&lanes->lock);
}

void
trail_compared (Lanes *lanes, const char *topic, gint32 number, const Trail *trail,
                const Stretch *others)
{
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lane_of (lanes, topic, number);
  if (lane != NULL && lane->intake.begun == trail->begun && others->from < others->to) {
    lane->intake.others = *others;
    set_astray (lanes, lane);
  } else if (lane != NULL && lane->intake.begun == trail->begun && trail->taken->len > 0) {
    lane->intake.same = g_array_index (trail->taken, Taken, trail->taken->len - 1);
    const gint64 last = lane->intake.same.offset;
    while (lane->intake.trail_checked + 1 < lane->intake.trail->len
           && g_array_index (lane->intake.trail, Taken, lane->intake.trail_checked + 1).offset
                  <= last)
      lane->intake.trail_checked++;
  }
  pthread_mutex_unlock (&lanes->lock);
}
