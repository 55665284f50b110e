#include "engine/work/intake.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/job/in_force.h"
#include "engine/lane/partition_ends.h"
#include "engine/lane/outage.h"
#include "engine/lane/trail.h"
#include "engine/ledger/admit.h"
#include "engine/ledger/timer.h"
#include "engine/outbox/dead.h"
#include "engine/service/stats.h"
#include "engine/work/answer.h"
#include "engine/lane/early.h"
#include "engine/work/lost.h"

#define SQL "src/engine/work/sql/"
/* A schema registry or a database may be slow: what is not read by then is of the next batch. */
#define TOGETHER_US (5 * G_USEC_PER_SEC)
#define READ_US (10 * G_USEC_PER_SEC)

/* A batch on its way from messages to rows. */
typedef struct {
  Service *service;
  Lane *lane;
  GArray *specs;             /* of RunSpec */
  Elsewhere *elsewhere;      /* whose jobs the specs borrow */
  DeadLetters *dead;         /* NULL: there are none */
  gint64 lost_from, lost_to; /* offsets that were dropped before this batch; equal: none */
  gint64 read_to;            /* the partition's end, if no message lies before it; -1: not known */
  const char *refusal;       /* why all are refused; NULL: they are decoded */
  int attempts;              /* for the header of a dead letter */
  guint passed_over;         /* messages of an application's own topic that no event fits */
} Intake;

static void
refuse (Intake *intake, const KafkaMessage *message, const char *reason)
{
  if (intake->dead == NULL)
    intake->dead = dead_letters_new (intake->service->prefix);
  dead_letters_add (intake->dead, message, reason, intake->attempts);
}

static gboolean
take_message (Intake *intake, const Admission *admission, const KafkaMessage *message,
              GError **error)
{
  guint before = intake->specs->len;
  Admitted admitted;
  if (!admit_message (admission, message, intake->lane->is_ticks, intake->specs, &admitted, error))
    return FALSE;
  intake->passed_over += admitted.passed_over;
  g_autofree char *reason = admitted.reason;
  if (reason == NULL)
    return TRUE;
  if (!admitted.in_part)
    g_array_set_size (intake->specs, before);
  refuse (intake, message, reason);
  return TRUE;
}

/* The keys of the first N messages, which are events. */
static gboolean
prepare (const Intake *intake, const Admission *admission, guint n, GError **error)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (messages, g_array_index (intake->lane->worker.pending, Pending, i).message);
  return admit_prepare (admission, (KafkaMessage *const *)messages->pdata, messages->len, error);
}

/* Reads the first N messages; *N becomes less if that takes long. */
static gboolean
take_messages (Intake *intake, Pg *pg, guint *n, GError **error)
{
  const gboolean ticks = intake->lane->is_ticks;
  g_autoptr (OwnKeys) keys = ticks ? NULL : own_keys_new (pg);
  const gint64 began_us = clock_monotonic_us ();
  Admission admission = { .jobs = in_force_jobs (),
                          .together_us = began_us + TOGETHER_US,
                          .keep_us = intake->service->keep_us,
                          .pg = pg,
                          .elsewhere = &intake->elsewhere,
                          .keys = keys };
  if (!pg_now_us (pg, &admission.now_us, error))
    return FALSE;
  /* Both clocks count, so that a wrong one buries no message: it only waits. */
  gint64 database_us = admission.now_us, ours_us = clock_now_us ();
  admission.now_us = MAX (database_us, ours_us);
  admission.least_us = MIN (database_us, ours_us);
  if (!ticks && intake->refusal == NULL && !prepare (intake, &admission, *n, error))
    return FALSE;
  for (guint i = 0; i < *n; i++) {
    const KafkaMessage *message = g_array_index (intake->lane->worker.pending, Pending, i).message;
    if (intake->refusal != NULL)
      refuse (intake, message, intake->refusal);
    else if (!take_message (intake, &admission, message, error))
      return FALSE;
    if (clock_monotonic_us () - began_us >= READ_US)
      *n = i + 1;
  }
  return TRUE;
}

/* --- the transaction --- */

static gboolean
advance (Intake *intake, Pg *pg, const KafkaMessage *last, gint64 *next, gint64 *last_ms,
         GError **error)
{
  Lane *lane = intake->lane;
  gboolean further = last->offset + 1 > lane->intake.mine;
  *next = further ? last->offset + 1 : lane->intake.mine;
  *last_ms = further ? last->timestamp_ms : lane->intake.mine_last_ms;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", intake->service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_int (values, "next", *next);
  if (further || lane->intake.mine_last_ms != 0)
    pg_values_int (values, "last_ms", *last_ms);
  else
    pg_values_set (values, "last_ms", NULL); /* not known */
  pg_values_int (values, "mine", lane->intake.mine);
  trail_add_same (intake->service->lanes, lane, values);
  if (intake->read_to >= 0)
    pg_values_int (values, "read_to", intake->read_to);
  else
    pg_values_set (values, "read_to", NULL);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "intake_advance.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0)
    return TRUE;
  lane->worker.started = FALSE; /* another process has moved it: find the start again */
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
               "%s [%d]: another process has taken these messages", lane->topic, lane->number);
  return FALSE;
}

static gboolean
write_rows (Intake *intake, Pg *pg, guint n, GError **error)
{
  gint64 next, last_ms;
  Lane *lane = intake->lane;
  const KafkaMessage *last = g_array_index (lane->worker.pending, Pending, n - 1).message;
  FAULT ("intake.before_rows");
  if (!pg_begin (pg, error))
    return FALSE;
  gboolean lost = intake->lost_to > intake->lost_from;
  gboolean ok
      = (!lost || lost_note (intake->service, pg, lane, intake->lost_from, intake->lost_to, error))
        && (lane->is_ticks || timer_place (pg, intake->specs, error))
        && place_runs (pg, intake->specs, FALSE, error)
        && advance (intake, pg, last, &next, &last_ms, error);
  FAULT ("intake.before_commit");
  if (!ok || !pg_commit (pg, error)) {
    pg_rollback (pg);
    return FALSE;
  }
  FAULT ("intake.after_commit");
  if (lost)
    lost_say (lane, intake->lost_from, intake->lost_to);
  trail_add (intake->service->lanes, lane, n, next, last_ms);
  if (intake->read_to > atomic_load (&lane->intake.read_to))
    trail_set_read_to (lane, intake->read_to);
  return TRUE;
}

static void
count_runs (const Intake *intake)
{
  for (guint i = 0; i < intake->specs->len; i++) {
    const RunSpec *spec = &g_array_index (intake->specs, RunSpec, i);
    if (spec->placed != PLACED_SKIPPED)
      continue;
    stats_add (STATS_RUNS, spec->job->name, spec->state != NULL ? spec->state : "skipped", 1);
    if (spec->job->refused != NULL)
      log_warning ("Run blocked, its job is refused", "job", spec->job->name, "run_id",
                   spec->run_id, "reason", spec->error);
    else
      log_info ("Run skipped", "job", spec->job->name, "run_id", spec->run_id, "reason",
                spec->error);
  }
}

static void
offer_early (const Intake *intake)
{
  for (guint i = 0; intake->specs->len <= EARLY_MOST && i < intake->specs->len; i++) {
    const RunSpec *spec = &g_array_index (intake->specs, RunSpec, i);
    if (spec->placed == PLACED_READY)
      early_offer (intake->service->lanes, spec->job,
                   job_slot (spec->job, spec->run_id, spec->args),
                   &(Work){ spec->run_id, 0, spec->attempts }, FALSE);
  }
}

static gboolean
publish_work (Intake *intake, GError **error)
{
  g_autoptr (Bundle) bundle = bundle_new_of_no_run ();
  offer_early (intake);
  place_add_work (bundle, intake->specs);
  FAULT ("intake.before_publish");
  if (!publisher_send_plain (intake->service->publisher, bundle, error))
    return FALSE;
  FAULT ("intake.after_publish");
  return TRUE;
}

/* A gap in the offsets is not always a loss: transactional producers leave gaps, too. Only what
 * lies below the low watermark is lost, and not below an end that was seen. */
static gboolean
look_for_lost (Intake *intake, GError **error)
{
  Lane *lane = intake->lane;
  gint64 first = g_array_index (lane->worker.pending, Pending, 0).message->offset;
  intake->lost_from = intake->lost_to
      = MAX (lane->intake.mine, atomic_load (&lane->intake.seen_to));
  if (lane->intake.mine < 0 || first <= intake->lost_from)
    return TRUE;
  if (!lost_look (lane, intake->lost_from, &intake->lost_to, error))
    return FALSE;
  intake->lost_to = MIN (intake->lost_to, first);
  return TRUE;
}

static gboolean
take_batch (Intake *intake, Pg *pg, guint *n, GError **error)
{
  if (!look_for_lost (intake, error) || !take_messages (intake, pg, n, error))
    return FALSE;
  const GArray *pending = intake->lane->worker.pending;
  const gint64 next = g_array_index (pending, Pending, *n - 1).message->offset + 1;
  intake->read_to = *n == pending->len && intake->lane->worker.end_seen > next
                        ? partition_ends_behind (intake->lane, next)
                        : -1;
  /* Dead letters first: once the rows are committed, they would not be sent again. */
  if (intake->dead != NULL && !dead_letters_send (intake->service, pg, intake->dead, error))
    return FALSE;
  if (!write_rows (intake, pg, *n, error))
    return FALSE;
  count_runs (intake);
  if (intake->passed_over > 0)
    stats_add (STATS_PASSED_OVER, intake->lane->topic, NULL, intake->passed_over);
  if (place_any_waiting (intake->specs))
    wake_in (intake->service->wake, 0);
  if (!publish_work (intake, error)) {
    /* The rows are committed: housekeeping finds and sends the missing work messages. */
    log_warning_every (10, "intake publish", "Work messages wait for Kafka", (*error)->message);
    g_clear_error (error);
  }
  return TRUE;
}

static void
intake_clear (Intake *intake)
{
  g_array_unref (intake->specs);
  g_clear_pointer (&intake->elsewhere, elsewhere_free);
  g_clear_pointer (&intake->dead, dead_letters_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Intake, intake_clear)

/* Tries the first N pending messages, or fewer. REASON: why the only one is refused after ATTEMPTS;
 * NULL: none is refused. */
static gboolean
try_batch (Service *service, Pg *pg, Lane *lane, guint *n, const char *reason, int attempts,
           GError **error)
{
  g_auto (Intake) intake = { .service = service,
                             .lane = lane,
                             .specs = run_specs_new (),
                             .refusal = reason,
                             .attempts = attempts };
  return take_batch (&intake, pg, n, error);
}

/* A row that the database rejects must not stop the others: halves the batch until that row is
 * alone. */
static gboolean
try_smaller (Service *service, Pg *pg, Lane *lane, guint *n, GError **error)
{
  GError *cause = NULL;
  gboolean ok = try_batch (service, pg, lane, n, NULL, 1, &cause);
  while (!ok && cause->code == PRUNED_DATA && *n > 1) {
    g_clear_error (&cause);
    *n /= 2;
    ok = try_batch (service, pg, lane, n, NULL, 1, &cause);
  }
  if (!ok && cause->code == PRUNED_DATA) {
    g_autofree char *reason = g_strdup_printf ("undecodable: %s", cause->message);
    g_clear_error (&cause);
    ok = try_batch (service, pg, lane, n, reason, 1, &cause);
  }
  if (cause != NULL)
    g_propagate_error (error, cause);
  return ok;
}

/* Another process has moved the offset: drops what is pending, to read again from there. */
static void
forget_if_astray (Lane *lane)
{
  if (!lane->worker.started)
    g_array_set_size (lane->worker.pending, 0);
}

gboolean
intake_bury (Service *service, Pg *pg, Lane *lane, const char *reason, int attempts, GError **error)
{
  guint n = 1;
  gboolean ok = try_batch (service, pg, lane, &n, reason, attempts, error);
  if (ok)
    g_array_remove_index (lane->worker.pending, 0);
  else
    forget_if_astray (lane);
  return ok;
}

LaneNext
intake_handle (Service *service, Pg *pg, Lane *lane, guint max)
{
  g_autoptr (GError) error = NULL;
  guint n = MIN (lane->worker.pending->len, max);
  if (!try_smaller (service, pg, lane, &n, &error)) {
    forget_if_astray (lane);
    return outage_hold (service, lane, error);
  }
  lane->worker.outages = 0;
  stats_add (STATS_MESSAGES, lane->is_ticks ? "ticks" : "events", NULL, n);
  g_array_remove_range (lane->worker.pending, 0, n);
  return lane->worker.pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}
