/* A worker takes a lane, or several of one job, reads what they have to do, sends that on one of
 * the two paths, and gives them back. Several runs go the plain one (plain.h); a single message, a
 * run that has failed and an errand go the careful one (careful.h).
 *
 * Length: a reader follows a lane from where it is taken to where it is given back.
 *
 * Invariant: a message is handled when its step is committed and everything it publishes is
 * acknowledged, or when it is known to be stale. Two exceptions: errands that settle together
 * wait in the first lane only, and after a commit whose outcome is not known the message is stale;
 * for both, the rows of pruned.unpublished carry what was to be published.
 */
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
#include "engine/outbox/dead.h"
#include "engine/step/replica.h"
#include "engine/work/careful.h"
#include "engine/work/errands.h"
#include "engine/work/intake.h"
#include "engine/work/plain.h"
#include "engine/work/suspect.h"
#include "engine/work/unread.h"

#include <pthread.h>

#define LOCKED_HOLD_US 5000
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

typedef enum {
  TURN_NEW,
  TURN_LEFT,  /* over before anything was read */
  TURN_READ,  /* over with that */
  TURN_WORKS, /* something is to be done */
  TURN_WORKED /* it is done */
} TurnState;

/* A lane that a worker has. */
typedef struct {
  Lane *lane;
  TurnState state;
  LaneNext next; /* unless it is new */
} Turn;

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
 * message that was tried by itself, can hold a message that killed a process. */
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

/* --- which path --- */

/* The next shared transaction would not have time for more messages. */
static gboolean
is_full (const Lane *lane, const GArray *works)
{
  return lane->worker.fits > 0 && works->len >= lane->worker.fits;
}

/* Buries and removes those of the first N pending messages that cannot be decoded. */
static gboolean
bury_wrong (const Worker *worker, GArray *pending, guint n, GError **error)
{
  g_autoptr (DeadLetters) letters = dead_letters_new (worker->service->prefix);
  for (guint i = 0; i < n; i++) {
    const Pending *one = &g_array_index (pending, Pending, i);
    if (one->wrong != NULL)
      dead_letters_add (letters, one->message, one->wrong, 1);
  }
  if (!dead_letters_send (worker->service, worker->pg, letters, error))
    return FALSE;
  while (n-- > 0)
    if (g_array_index (pending, Pending, n).wrong != NULL)
      g_array_remove_index (pending, n);
  return TRUE;
}

/* Adds the pending steps to WORKS, which borrows them, up to the first that goes the careful path.
 */
static gboolean
gather (const Worker *worker, Lane *lane, GArray *works, GError **error)
{
  GArray *pending = lane->worker.pending;
  guint n = 0;
  for (gboolean careful = FALSE; n < pending->len && !careful && !is_full (lane, works); n++) {
    const Pending *one = &g_array_index (pending, Pending, n);
    if ((careful = one->careful) && n > 0)
      break;
    if (one->wrong == NULL)
      g_array_append_val (works, one->work);
  }
  return works->len == n || bury_wrong (worker, pending, n, error);
}

static void
mark_careful (Lane *lane)
{
  for (guint i = 0; i < lane->worker.pending->len; i++)
    g_array_index (lane->worker.pending, Pending, i).careful = TRUE;
}

/* The first message has no others that its run could share a transaction with. */
static gboolean
goes_carefully (const Lane *lane)
{
  const GArray *pending = lane->worker.pending;
  return pending->len == 1 || g_array_index (pending, Pending, 0).careful;
}

static LaneNext
take_path (const Worker *worker, Lane *lane)
{
  Service *service = worker->service;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work));
  if (!gather (worker, lane, works, &error))
    return outage_hold (service, lane, error);
  if (works->len == 0)
    return LANE_DONE;
  if (goes_carefully (lane) || !plain_can (lane))
    return careful_run (service, worker->pg, lane, &g_array_index (works, Work, 0));
  if (plain_run (service, worker->pg, &lane, works, &error))
    return LANE_DONE;
  if (error->code == PRUNED_OUTAGE || lane_should_yield (service->lanes, lane))
    return outage_hold (service, lane, error);
  mark_careful (lane); /* one of them is at fault */
  return LANE_DONE;
}

static LaneNext
handle_pending (const Worker *worker, Lane *lane)
{
  const guint max = lane->suspects.n > 0 && lane->suspects.one_by_one ? 1 : most (lane);
  if (lane->job == NULL)
    return intake_handle (worker->service, worker->pg, lane, max);
  if (max == 1)
    g_array_index (lane->worker.pending, Pending, 0).careful = TRUE;
  LaneNext next = take_path (worker, lane);
  if (next == LANE_GO_AWAY)
    return next;
  if (lane->worker.locked_since_us != 0) {
    lane->worker.hold_us = LOCKED_HOLD_US;
    return LANE_HOLD;
  }
  if (next == LANE_HOLD)
    return next;
  lane->worker.outages = 0;
  return lane->worker.pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}

/* --- a turn: lanes from where the worker takes them to where it gives them back --- */

/* Finds where a lane of intake starts. */
static gboolean
find_start (const Worker *worker, Lane *lane)
{
  g_autoptr (GError) error = NULL;
  if (lane->job != NULL)
    return TRUE;
  if (lane->worker.pending->len == 0 && astray_take (worker->service->lanes, lane))
    lane->worker.started = FALSE;
  if (lane->worker.started || intake_start (worker->service, worker->pg, lane, &error))
    return TRUE;
  outage_hold (worker->service, lane, error);
  return FALSE;
}

/* Reads what the lane has to do, and counts its suspects. SEVERAL: the worker has other lanes, too.
 * A message that may have to wait until no lane is held (solitude.h) is taken again without them.
 */
static void
begin_turn (const Worker *worker, Turn *turn, gboolean several)
{
  Service *service = worker->service;
  Lane *lane = turn->lane;
  lane->worker.replica = worker->replica;
  lane->worker.hold_us = outage_hold_us (0);
  *turn = (Turn){ lane, TURN_LEFT, LANE_HOLD };
  if (!find_start (worker, lane))
    return;
  turn->next = LANE_DONE;
  if (lane->list.sendings.length > 0) {
    sending_note_if_done (service, lane);
    if (lane->list.errand == NULL && lane_should_yield (service->lanes, lane))
      return;
  }
  if (lane->worker.pending->len == 0)
    take_messages (service, lane);
  (void)suspect_forget (worker->pg, lane);
  lane->worker.unjoined = several && lane->list.errand == NULL && lane->suspects.one_by_one;
  if (lane->worker.unjoined) {
    turn->next = LANE_AGAIN;
    return;
  }
  turn->state = TURN_READ;
  if (lane_first_offset (lane) < 0 && lane->list.errand == NULL)
    turn->next = unread_pass_over (service, worker->pg, lane);
  if (turn->next == LANE_DONE && lane->worker.pending->len > 0
      && (lane->suspects.n == 0 || suspect_begin (service, worker->pg, lane, &turn->next)))
    turn->state = TURN_WORKS;
}

/* One lane has met an outage, so the others do not try. */
static gboolean
is_down (const Turn *turn)
{
  return turn->next == LANE_HOLD && turn->lane->worker.outages > 0;
}

/* Those that fit go the plain path together. If that fails, each goes by itself; after an outage
 * none does. */
static void
share (const Worker *worker, Turn *turns, guint n)
{
  Service *service = worker->service;
  g_autoptr (GPtrArray) joined = g_ptr_array_new (), /* of Turn */
      lanes = g_ptr_array_new ();
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work)); /* borrows */
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < n; i++) {
    Lane *lane = turns[i].lane;
    if (turns[i].state != TURN_WORKS || !errands_fit (service, lane))
      continue;
    g_ptr_array_add (joined, &turns[i]);
    g_ptr_array_add (lanes, lane);
    g_array_append_val (works, g_array_index (lane->worker.pending, Pending, 0).work);
  }
  if (lanes->len < 2)
    return;
  const gboolean done = plain_run (service, worker->pg, (Lane *const *)lanes->pdata, works, &error);
  if (error != NULL)
    log_debug ("Errands could not be done together; each is done alone", "job",
               turns[0].lane->job->name, "error", error->message);
  for (guint i = 0; i < (done ? joined->len : 0); i++) {
    Turn *turn = joined->pdata[i];
    const gboolean away = turn->lane->list.errand != NULL;
    turn->state = TURN_WORKED;
    turn->next = away ? LANE_GO_AWAY : turn->lane->worker.pending->len > 0 ? LANE_AGAIN : LANE_DONE;
  }
}

static void
work (const Worker *worker, Turn *turn, gboolean several)
{
  if (several)
    lanes_begin_next (worker->service->lanes, turn->lane);
  turn->next = handle_pending (worker, turn->lane);
  turn->state = TURN_WORKED;
}

/* DOWN: a dependency is. */
static void
end_turn (const Worker *worker, Turn *turn, gboolean down)
{
  Service *service = worker->service;
  Lane *lane = turn->lane;
  if (turn->state == TURN_WORKED && lane->suspects.n > 0 && !down)
    turn->next = suspect_end (service, worker->pg, lane, turn->next);
  lane->suspects.n = MIN (lane->suspects.n, lane->worker.pending->len);
  partition_ends_reached (service, worker->pg, lane);
  sending_note_handled (service, lane);
  if (turn->next == LANE_DONE && (lane->worker.full || early_waits (service->lanes, lane)))
    turn->next = LANE_AGAIN;
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

/* What the lanes of TURNS have to do: one, or several of one job. TRUE: the worker keeps its only
 * one, since none waits for a worker. */
static gboolean
handle (const Worker *worker, Turn *turns, guint n)
{
  Lanes *lanes = worker->service->lanes;
  gboolean down = FALSE, kept = FALSE;
  for (guint i = 0; i < n && !down; i++) {
    follow (worker->service, turns[i].lane);
    begin_turn (worker, &turns[i], n > 1);
    down = is_down (&turns[i]);
  }
  if (n > 1 && !down)
    share (worker, turns, n);
  for (guint i = 0; i < n; i++) {
    Turn *turn = &turns[i];
    if (turn->state == TURN_WORKS && !down)
      work (worker, turn, n > 1);
    if (turn->state == TURN_NEW || turn->state == TURN_WORKS) {
      turn->lane->worker.hold_us = outage_hold_us (MAX (turn->lane->worker.outages, 1));
      turn->next = LANE_HOLD;
    } else if (turn->state != TURN_LEFT)
      end_turn (worker, turn, down);
    down |= is_down (turn);
    g_assert (!pg_in_transaction (worker->pg));
    kept = n == 1 && turn->next == LANE_AGAIN && lanes_keep (lanes, turn->lane, worker->pg);
    if (!kept)
      lanes_put (lanes, turn->lane, turn->next);
  }
  return kept;
}

/* The lanes that the worker has from now on. None: all is stopped. */
static GArray *
take_turns (const Worker *worker)
{
  g_autoptr (GPtrArray) lanes = lanes_take (worker->service->lanes, worker->intake, worker->pg);
  GArray *turns = g_array_new (FALSE, TRUE, sizeof (Turn));
  for (guint i = 0; i < lanes->len; i++)
    g_array_append_val (turns, ((Turn){ .lane = lanes->pdata[i] }));
  return turns;
}

static void *
worker_main (void *data)
{
  const Worker *worker = data;
  pthread_setname_np (pthread_self (), worker->intake ? "intake" : "worker");
  for (;;) {
    g_autoptr (GArray) turns = take_turns (worker);
    if (turns->len == 0)
      return NULL;
    do
      in_force_renew ();
    while (handle (worker, (Turn *)turns->data, turns->len));
  }
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
