#include "engine/work/worker.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/thread.h"
#include "engine/job/in_force.h"
#include "engine/lane/astray.h"
#include "engine/lane/early.h"
#include "engine/lane/partition_ends.h"
#include "engine/lane/outage.h"
#include "engine/lane/sending.h"
#include "engine/step/replica.h"
#include "engine/work/answer.h"
#include "engine/work/batch.h"
#include "engine/work/errands.h"
#include "engine/work/intake.h"
#include "engine/work/plain.h"
#include "engine/work/suspect.h"
#include "engine/work/unread.h"

#include <pthread.h>

#define WORK_BATCH 500
#define INTAKE_BATCH 1000
/* Small: if they kill the process, their messages are tried one by one. */
#define FRESH_WORK_BATCH 100
#define FRESH_INTAKE_BATCH 500
#define FRESH_US (2 * G_USEC_PER_SEC)

typedef struct {
  Service *service;
  Pg *pg;
  Replica *replica; /* NULL: none is set */
  pthread_t thread;
  gboolean runs; /* the thread was started */
  gboolean intake;
} Worker;

struct _Workers {
  Worker *all;
  guint n;
};

static guint
most (const Lane *lane)
{
  if (lane->suspects.n > 0 || lane_is_fresh (lane))
    return lane->job != NULL ? FRESH_WORK_BATCH : FRESH_INTAKE_BATCH;
  return lane->job != NULL ? WORK_BATCH : INTAKE_BATCH;
}

/* Fills `pending`. Only batches of the first two seconds after an assignment, and those behind a
 * message that was tried alone, can hold a message that killed a process. */
static void
take_messages (Service *service, Lane *lane)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new ();
  lane_about_to_read (service->lanes, lane);
  gint64 end = -1;
  /* Trying one by one is slow, and later messages are suspect as well. */
  if (lane->suspects.one_by_one)
    atomic_store (&lane->suspects.fresh_until_us, clock_monotonic_us () + FRESH_US);
  lane->suspects.one_by_one = FALSE;
  const gboolean fresh = lane_is_fresh (lane);
  const guint max = most (lane);
  if (lane->job == NULL)
    kafka_partition_take_to_end (lane->partition, max, messages, &end);
  else
    kafka_partition_take (lane->partition, max, messages, &end);
  if (messages->len > 0 || end >= 0) /* else the end seen before still holds */
    lane->worker.end_seen = end;
  if (messages->len > 0)
    lane->worker.taken = ((const KafkaMessage *)messages->pdata[messages->len - 1])->offset + 1;
  lane->worker.full = messages->len == max;
  early_read (service->lanes, lane, messages);
  if (lane_first_offset (lane) < 0)
    return;
  atomic_store (&lane->progress.at_end, FALSE);
  if (!fresh)
    return;
  lane->suspects.n = lane->worker.pending->len;
  if (atomic_load (&lane->suspects.fresh_until_us) == 0)
    atomic_store (&lane->suspects.fresh_until_us, clock_monotonic_us () + FRESH_US);
}

static LaneNext
handle_messages (Service *service, Pg *pg, Lane *lane, gint64 *hold_us)
{
  guint max = lane->suspects.n > 0 && lane->suspects.one_by_one ? 1 : most (lane);
  if (lane->job == NULL)
    return intake_handle (service, pg, lane, max, hold_us);
  if (max == 1)
    g_array_index (lane->worker.pending, Pending, 0).alone = TRUE;
  return batch_handle (service, pg, lane, hold_us);
}

static LaneNext
handle_pending (Service *service, Pg *pg, Lane *lane, gint64 *hold_us)
{
  if (lane->suspects.n == 0)
    return handle_messages (service, pg, lane, hold_us);
  LaneNext next;
  if (suspect_begin (service, pg, lane, &next, hold_us)) {
    next = handle_messages (service, pg, lane, hold_us);
    next = suspect_end (service, pg, lane, next, hold_us);
  }
  lane->suspects.n = MIN (lane->suspects.n, lane->worker.pending->len);
  return next;
}

static LaneNext
handle_lane (Service *service, Pg *pg, Lane *lane, gint64 *hold_us)
{
  if (lane->job == NULL && lane->worker.pending->len == 0 && astray_take (service->lanes, lane))
    lane->worker.started = FALSE;
  if (lane->job == NULL && !lane->worker.started) {
    g_autoptr (GError) error = NULL;
    if (!intake_start (service, pg, lane, &error)) {
      outage_note (service, lane, error);
      *hold_us = outage_hold_us (lane->worker.outages);
      return LANE_HOLD;
    }
  }
  if (lane->list.sendings.length > 0) {
    sending_note_if_done (service, lane);
    if (lane->list.errand == NULL && lane_should_yield (service->lanes, lane))
      return LANE_DONE;
  }
  if (lane->worker.pending->len == 0)
    take_messages (service, lane);
  (void)suspect_forget (pg, lane);
  LaneNext next = lane_first_offset (lane) < 0 && lane->list.errand == NULL
                      ? unread_pass_over (service, pg, lane, hold_us)
                      : LANE_DONE;
  if (next == LANE_DONE && lane->worker.pending->len > 0)
    next = handle_pending (service, pg, lane, hold_us);
  partition_ends_reached (service, pg, lane);
  sending_note_handled (service, lane);
  return next == LANE_DONE && (lane->worker.full || early_waits (service->lanes, lane)) ? LANE_AGAIN
                                                                                        : next;
}

/* From here on the lane's runs begin with the version of its job that is in force now. A job that
 * was removed keeps its lanes, and its runs are set waiting (claim.c). */
static void
follow (Service *service, Lane *lane)
{
  Job *job = lane->job != NULL ? jobs_find (in_force_jobs (), lane->job->name) : NULL;
  if (job != NULL && job != lane->job)
    lane_follow (service->lanes, lane, job);
}

/* ONLY: the worker has no other lane. Then it keeps this one while none waits for a worker. FALSE:
 * the lane waits because a dependency is down. */
static gboolean
handle_one (Worker *worker, Lane *lane, gboolean only)
{
  Service *service = worker->service;
  for (;;) {
    gint64 hold_us = 0;
    lane->worker.replica = worker->replica;
    LaneNext next = handle_lane (service, worker->pg, lane, &hold_us);
    g_assert (!pg_in_transaction (worker->pg));
    if (next != LANE_AGAIN || !only || !lanes_keep (service->lanes, lane, worker->pg)) {
      const gboolean down = next == LANE_HOLD && lane->worker.outages > 0;
      lanes_put (service->lanes, lane, next, hold_us);
      return !down;
    }
    in_force_renew ();
    follow (service, lane);
  }
}

/* --- several lanes at once --- */

/* LANE has a message, or an errand to settle, and can go with the others of JOB. Its suspect is
 * counted. *DOWN: PostgreSQL is. */
static gboolean
joins (const Worker *worker, Lane *lane, const Job *job, gboolean *down)
{
  Service *service = worker->service;
  LaneNext next;
  gint64 hold_us;
  const guint outages = lane->worker.outages;
  if (lane->job != job)
    return FALSE;
  if (lane->worker.pending->len == 0)
    take_messages (service, lane);
  *down = !suspect_forget (worker->pg, lane);
  if (*down || !errands_fit (service, lane) || lane->suspects.one_by_one)
    return FALSE;
  gboolean fits
      = lane->suspects.n == 0 || suspect_begin (service, worker->pg, lane, &next, &hold_us);
  *down = lane->worker.outages > outages;
  return fits;
}

/* Gives the lane back, as handle_pending and handle_lane do. DOWN: PostgreSQL was down. FALSE: it
 * is down. */
static gboolean
put_joined (const Worker *worker, Lane *lane, gboolean down)
{
  Service *service = worker->service;
  const gboolean away = lane->list.errand != NULL;
  gint64 hold_us = 0;
  gboolean more
      = lane->worker.pending->len > 0 || lane->worker.full || early_waits (service->lanes, lane);
  LaneNext next = away ? LANE_GO_AWAY : more ? LANE_AGAIN : LANE_DONE;
  if (lane->suspects.n > 0 && !down)
    next = suspect_end (service, worker->pg, lane, next, &hold_us);
  lane->suspects.n = MIN (lane->suspects.n, lane->worker.pending->len);
  sending_note_handled (service, lane);
  down |= lane->worker.outages > 0;
  lanes_put (service->lanes, lane, next, hold_us);
  return !down;
}

/* Does not go with the others. What begins may have to wait until no other lane is held
 * (solitude.h), so it is taken again without them; what is to be settled does not wait for that.
 * FALSE: a dependency is down. */
static gboolean
put_unjoined (Worker *worker, Lane *lane)
{
  if (lane->list.errand != NULL) {
    lanes_begin_alone (worker->service->lanes, lane);
    return handle_one (worker, lane, FALSE);
  }
  lane->worker.unjoined = TRUE;
  lanes_put (worker->service->lanes, lane, LANE_AGAIN, 0);
  return TRUE;
}

/* Gives the lane back as waiting: one lane has met the outage, so the others do not try again. */
static void
put_waiting (const Worker *worker, Lane *lane)
{
  lanes_put (worker->service->lanes, lane, LANE_HOLD,
             outage_hold_us (MAX (lane->worker.outages, 1)));
}

/* Lanes (of Lane) that this worker has: those that fit go together. */
static void
handle_several (Worker *worker, const GPtrArray *lanes)
{
  const Job *job = ((const Lane *)lanes->pdata[0])->job;
  g_autoptr (GPtrArray) joined = g_ptr_array_new ();
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work)); /* borrows */
  g_autoptr (GError) error = NULL;
  gboolean down = FALSE;
  for (guint i = 0; i < lanes->len && !down; i++) {
    Lane *lane = lanes->pdata[i];
    lane->worker.replica = worker->replica;
    follow (worker->service, lane);
    if (joins (worker, lane, job, &down)) {
      g_ptr_array_add (joined, lane);
      g_array_append_val (works, g_array_index (lane->worker.pending, Pending, 0).work);
    }
  }
  gboolean done
      = joined->len > 1 && !down
        && plain_run (worker->service, worker->pg, (Lane *const *)joined->pdata, works, &error);
  if (error != NULL)
    log_debug ("Errands could not be done together; each is done alone", "job", job->name, "error",
               error->message);
  for (guint i = 0; i < lanes->len; i++)
    if (done && g_ptr_array_find (joined, lanes->pdata[i], NULL))
      down = !put_joined (worker, lanes->pdata[i], down);
    else if (down)
      put_waiting (worker, lanes->pdata[i]);
    else
      down = !put_unjoined (worker, lanes->pdata[i]);
}

static void *
worker_main (void *data)
{
  Worker *worker = data;
  Service *service = worker->service;
  Lane *lane;
  pthread_setname_np (pthread_self (), worker->intake ? "intake" : "worker");
  while ((lane = lanes_take (service->lanes, worker->intake, worker->pg)) != NULL) {
    g_autoptr (GPtrArray) lanes = g_ptr_array_new ();
    g_ptr_array_add (lanes, lane);
    in_force_renew ();
    follow (service, lane);
    const guint most = lane->worker.unjoined ? 1 : lane_most_beside (lane);
    lane->worker.unjoined = FALSE;
    if (most > 1)
      lanes_take_beside (service->lanes, lane, most, lanes);
    if (lanes->len > 1)
      handle_several (worker, lanes);
    else
      handle_one (worker, lane, TRUE);
  }
  return NULL;
}

gboolean
workers_start (Workers **workers, Service *service, guint n, GError **error)
{
  const char *replica_url = config_text (service->config, "postgres", "replica_url");
  gboolean ok = TRUE;
  *workers = g_new0 (Workers, 1);
  **workers = (Workers){ g_new0 (Worker, n), n };
  for (guint i = 0; ok && i < n; i++) {
    Worker *worker = &(*workers)->all[i];
    *worker = (Worker){ service, pg_new (&service->pg), replica_new (&service->pg, replica_url),
                        .intake = i == 0 };
    ok = worker->runs = thread_start (&worker->thread, worker_main, worker, error);
  }
  return ok;
}

void
workers_join (Workers *workers)
{
  if (workers == NULL)
    return;
  for (guint i = 0; i < workers->n; i++)
    if (workers->all[i].runs)
      pthread_join (workers->all[i].thread, NULL);
  for (guint i = 0; i < workers->n; i++) {
    pg_free (workers->all[i].pg);
    replica_free (workers->all[i].replica);
  }
  g_free (workers->all);
  g_free (workers);
}
