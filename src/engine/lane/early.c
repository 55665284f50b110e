#include "engine/lane/early.h"

#include "engine/lane/lane_private.h"
#include "engine/step/step.h"

#define MOST_OFFERS 8
#define FEW_SENDINGS 8
#define MOST_DONE 256 /* steps whose messages are awaited */

static Work
copy_of (const Work *work)
{
  return (Work){ g_strdup (work->run_id), work->step, work->attempt };
}

/* The first of WORKS with this run, step and attempt; their number: there is none. */
static guint
find (const GArray *works, const Work *work)
{
  guint i = 0;
  for (; i < works->len; i++) {
    const Work *one = &g_array_index (works, Work, i);
    if (one->step == work->step && one->attempt == work->attempt
        && g_str_equal (one->run_id, work->run_id))
      break;
  }
  return i;
}

/* --- offers --- */

/* LANE can have the step soon, and little waits to be acknowledged. With the lock. */
static gboolean
is_free (const Lanes *lanes, const Lane *lane)
{
  return lane->list.state != LANE_HELD && lane->list.state != LANE_AWAY && !lane->list.revoked
         && lane->list.sendings.length < FEW_SENDINGS && lane->list.errand == NULL
         && lane->list.early->len < MOST_OFFERS && !lanes->stopping && lanes->solitary == NULL;
}

/* With the lock. */
static Lane *
lane_of (const Lanes *lanes, const Job *job, gint32 number)
{
  for (guint i = 0; i < lanes->all->len; i++) {
    Lane *lane = lanes->all->pdata[i];
    if (lane->job != NULL && lane->job->number == job->number && lane->number == number)
      return lane;
  }
  return NULL;
}

void
early_offer (Lanes *lanes, const Job *job, guint slot, const Work *work, gboolean by_step)
{
  if (job->kind->errand != by_step)
    return;
  pthread_mutex_lock (&lanes->lock);
  Lane *lane = lane_of (lanes, job, job_partition (job, slot));
  if (lane != NULL && is_free (lanes, lane) && (by_step || !lane_is_fresh (lane))) {
    const Work offered = copy_of (work);
    g_array_append_val (lane->list.early, offered);
    if (lane->list.state == LANE_IDLE)
      lanes_make_ready (lanes, lane);
  }
  pthread_mutex_unlock (&lanes->lock);
}

void
early_refuse (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  atomic_store (&lane->suspects.fresh_until_us, G_MAXINT64);
  g_array_set_size (lane->list.early, 0);
  pthread_mutex_unlock (&lanes->lock);
}

gboolean
early_waits (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean waits = lane->list.early->len > 0 && !lane->list.revoked && !lanes->stopping;
  pthread_mutex_unlock (&lanes->lock);
  return waits;
}

/* --- messages --- */

/* Messages of one run come in the order of its steps, so one that was lost does not come behind a
 * later one. A second one with this step is another: PostgreSQL was set back, perhaps. */
static gboolean
is_done (Lane *lane, const Work *work)
{
  GArray *done = lane->worker.done;
  const gboolean found = find (done, work) < done->len;
  for (guint i = done->len; found && i-- > 0;) {
    const Work *one = &g_array_index (done, Work, i);
    if (one->step <= work->step && g_str_equal (one->run_id, work->run_id))
      g_array_remove_index (done, i);
  }
  return found;
}

static void
read_message (Lane *lane, KafkaMessage *message)
{
  Pending one = { .message = message };
  g_autoptr (GError) error = NULL;
  if (lane->job != NULL && !work_decode (message, lane->job, &one.work, &error))
    one.wrong = g_strdup (error->message);
  if (one.work.run_id != NULL && is_done (lane, &one.work))
    pending_clear (&one);
  else
    g_array_append_val (lane->worker.pending, one);
}

void
early_read (Lanes *lanes, Lane *lane, const GPtrArray *messages)
{
  GArray *pending = lane->worker.pending, *early = lane->list.early;
  for (guint i = 0; i < messages->len; i++)
    read_message (lane, messages->pdata[i]);
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < pending->len && early->len > 0; i++) {
    const Pending *one = &g_array_index (pending, Pending, i);
    const guint offered = one->wrong == NULL ? find (early, &one->work) : early->len;
    if (offered < early->len)
      g_array_remove_index (early, offered);
  }
  if (pending->len == 0 && early->len > 0 && !lane->list.revoked && !lanes->stopping) {
    const Pending one = { .work = copy_of (&g_array_index (early, Work, 0)) };
    g_array_remove_index (early, 0);
    g_array_append_val (pending, one);
  }
  pthread_mutex_unlock (&lanes->lock);
}

/* A message that was lost does not come at all. */
static void
note_done (Lane *lane, const Work *work)
{
  const Work done = copy_of (work);
  if (lane->worker.done->len == MOST_DONE)
    g_array_remove_index (lane->worker.done, 0);
  g_array_append_val (lane->worker.done, done);
}

void
early_step_done (Lanes *lanes, Lane *lane, const Step *step)
{
  const Pending *first = &g_array_index (lane->worker.pending, Pending, 0);
  if (first->message == NULL)
    note_done (lane, &first->work);
  if (!step->continues || step->next_delay_ms > 0 || lane->worker.pending->len > 1
      || job_partition (step->job, step->run->slot) != lane->number)
    return;
  const Work next = { g_strdup (step->run->run_id), step_next_number (step), step->run->attempts };
  pthread_mutex_lock (&lanes->lock);
  g_array_prepend_val (lane->list.early, next);
  pthread_mutex_unlock (&lanes->lock);
}
