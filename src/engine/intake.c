#include "engine/intake.h"

#include "avro/identity.h"
#include "avro/message.h"
#include "base/clock.h"
#include "base/fault.h"
#include "engine/answer.h"
#include "engine/dead.h"
#include "engine/dispatcher.h"
#include "engine/place.h"
#include "engine/stats.h"
#include "engine/timer.h"

#include <string.h>

#define SQL "src/engine/sql/"
#define AHEAD_US (24 * G_TIME_SPAN_HOUR)

/* A batch on its way from messages to rows. */
typedef struct {
  Service *service;
  Lane *lane;
  gint64 now_us;   /* the database's */
  GArray *specs;   /* of RunSpec */
  GPtrArray *dead; /* of KafkaMessage */
  GPtrArray *dead_sources; /* of KafkaMessage, borrowed: for the log */
  GPtrArray *dead_reasons;
  const char *refusal; /* NULL: what the messages themselves say */
} Intake;

static void
refuse (Intake *intake, const KafkaMessage *message, const char *reason)
{
  g_ptr_array_add (intake->dead, dead_letter (intake->service->prefix, message, reason, 1));
  g_ptr_array_add (intake->dead_sources, (gpointer)message);
  g_ptr_array_add (intake->dead_reasons, g_strdup (reason));
}

static char *
time_refusal (const Service *service, gint64 scheduled_at_us, gint64 now_us)
{
  if (scheduled_at_us > now_us + AHEAD_US)
    return g_strdup ("scheduled_at in the future: more than 24 h ahead");
  if (scheduled_at_us < now_us - service->keep_us)
    return g_strdup ("too old: before what [runs] keep_days keeps");
  return NULL;
}

char *
intake_refusal (const Service *service, const Job *job, gint64 scheduled_at_us, const json_t *args, gint64 now_us)
{
  if (!job->by_tick)
    return g_strdup_printf ("job %s takes no ticks", job->name);
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)args, name, value)
    if (!job_takes_argument (job, name))
      return g_strdup_printf ("unknown argument %s", name);
  return time_refusal (service, scheduled_at_us, now_us);
}

static void
add_spec (Intake *intake, const Job *job, char *run_id, gint64 scheduled_at_us, json_t *args, char *unique_key)
{
  RunSpec spec = { .run_id = run_id, .job = job, .scheduled_at_us = scheduled_at_us, .due_at_us = scheduled_at_us,
                   .unique_key = unique_key, .late_key = TRUE, .args = args };
  if (!job->enabled)
    {
      spec.state = "skipped";
      spec.error = g_strdup ("disabled");
    }
  FAULT_ABOUT ("intake.decoded", run_id);
  g_array_append_val (intake->specs, spec);
}

static gint64
time_of (const json_t *content, const char *field, gint64 otherwise_us)
{
  const char *text = json_string_value (json_object_get (content, field));
  gint64 us = otherwise_us;
  g_autoptr (GError) error = NULL;
  if (text != NULL && !clock_parse (text, &us, &error))
    g_error ("%s was checked when it was decoded: %s", field, error->message);
  return us;
}

static void
take_tick (Intake *intake, const KafkaMessage *message, const MessageDecoded *decoded)
{
  const char *name = json_string_value (json_object_get (decoded->content, "job"));
  const Job *job = jobs_find (intake->service->jobs, name);
  gint64 at = time_of (decoded->content, "scheduled_at", message->timestamp_ms * 1000);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) args = json_parse (decoded->args_text, strlen (decoded->args_text), &error);
  g_autofree char *reason = job == NULL    ? g_strdup_printf ("unknown job %s", name)
                            : args == NULL ? g_strdup_printf ("undecodable: args: %s", error->message)
                                           : intake_refusal (intake->service, job, at, args, intake->now_us);
  if (reason != NULL)
    refuse (intake, message, reason);
  else
    add_spec (intake, job, identity_tick (job->name, at, decoded->args_text), at, json_incref (args),
              job_expand_key (job->unique_key, args));
}

static void
take_event (Intake *intake, const KafkaMessage *message, const MessageDecoded *decoded)
{
  gint64 at = decoded->ce_time_us != 0 ? decoded->ce_time_us : message->timestamp_ms * 1000;
  g_autofree char *reason = time_refusal (intake->service, at, intake->now_us);
  if (reason != NULL)
    {
      refuse (intake, message, reason);
      return;
    }
  for (guint i = 0; i < jobs_count (intake->service->jobs); i++)
    {
      const Job *job = jobs_at (intake->service->jobs, i);
      const JobEvent *event = job_event (job, decoded->type);
      if (event == NULL)
        continue;
      char *run_id = decoded->ce_id != NULL && decoded->ce_source != NULL
                         ? identity_event (decoded->ce_source, decoded->ce_id, job->name)
                         : identity_event_position (message->topic, message->partition, message->offset,
                                                    message->timestamp_ms, job->name);
      const char *key = event->unique_key != NULL ? event->unique_key : job->unique_key;
      add_spec (intake, job, run_id, at, json_deep_copy (decoded->content), job_expand_key (key, decoded->content));
      timer_prepare (event, &g_array_index (intake->specs, RunSpec, intake->specs->len - 1));
    }
}

static void
take_message (Intake *intake, const KafkaMessage *message)
{
  gboolean ticks = intake->lane->is_ticks;
  MessageSource source = { message->value, message->value_len, message->headers, message->n_headers,
                           ticks ? "pruned.Tick" : NULL, ticks ? "pruned.Tick" : "pruned.events." };
  MessageDecoded decoded = { 0 };
  g_autoptr (GError) error = NULL;
  if (!message_decode (&source, &decoded, &error))
    refuse (intake, message, error->message);
  else if (ticks)
    take_tick (intake, message, &decoded);
  else
    take_event (intake, message, &decoded);
  message_decoded_clear (&decoded);
}

/* --- the transaction ---------------------------------------------------------------------------------- */

static gboolean
advance (Intake *intake, Pg *pg, const KafkaMessage *last, gint64 *next, GError **error)
{
  Lane *lane = intake->lane;
  gboolean further = lane->remade || last->offset + 1 > lane->mine;
  *next = further ? last->offset + 1 : lane->mine;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", intake->service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_int (values, "next", *next);
  pg_values_int (values, "last_ms", further ? last->timestamp_ms : lane->mine_last_ms);
  pg_values_int (values, "mine", lane->mine);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "intake_advance.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0)
    return TRUE;
  lane->started = FALSE; /* somebody else has moved it: look again where to begin */
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s [%d]: another process has taken these messages", lane->topic,
               lane->number);
  return FALSE;
}

static gboolean
write_rows (Intake *intake, Pg *pg, const KafkaMessage *last, GError **error)
{
  gint64 next;
  Lane *lane = intake->lane;
  FAULT ("intake.before_rows");
  if (!pg_begin (pg, error))
    return FALSE;
  gboolean ok = timer_place (pg, intake->specs, error) && place_runs (pg, intake->specs, FALSE, error)
                && advance (intake, pg, last, &next, error);
  FAULT ("intake.before_commit");
  if (!ok || !pg_commit (pg, error))
    {
      pg_rollback (pg);
      return FALSE;
    }
  FAULT ("intake.after_commit");
  if (next != lane->mine)
    lane->mine_last_ms = last->timestamp_ms;
  lane->mine = next;
  lane->remade = FALSE;
  return TRUE;
}

static void
count_runs (const Intake *intake)
{
  for (guint i = 0; i < intake->specs->len; i++)
    {
      const RunSpec *spec = &g_array_index (intake->specs, RunSpec, i);
      if (spec->placed != PLACED_SKIPPED)
        continue;
      stats_add (STATS_RUNS, spec->job->name, "skipped", 1);
      log_info ("Run skipped", "job", spec->job->name, "run_id", spec->run_id, "reason", spec->error);
    }
}

static gboolean
publish_work (Intake *intake, GError **error)
{
  g_autoptr (Bundle) bundle = bundle_new ("", 0, "", 0);
  place_add_work (bundle, intake->specs);
  FAULT ("intake.before_publish");
  if (!publisher_send_plain (intake->service->publisher, bundle, &intake->service->stop, error))
    return FALSE;
  FAULT ("intake.after_publish");
  return TRUE;
}

static gboolean
database_now (Pg *pg, gint64 *now_us, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "now.sql", NULL, error);
  if (rows != NULL)
    *now_us = rows_int (rows, 0, "now");
  return rows != NULL;
}

static gboolean
take_batch (Intake *intake, Pg *pg, guint n, GError **error)
{
  Lane *lane = intake->lane;
  if (!database_now (pg, &intake->now_us, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const KafkaMessage *message = g_array_index (lane->pending, LaneMessage, i).message;
      if (intake->refusal != NULL)
        refuse (intake, message, intake->refusal);
      else
        take_message (intake, message);
    }
  /* Dead letters first: once the rows are committed nobody would think of them again. */
  if (!dead_letters_send (intake->service, intake->dead, error))
    return FALSE;
  for (guint i = 0; i < intake->dead->len; i++)
    dead_letter_log (intake->dead_sources->pdata[i], intake->dead_reasons->pdata[i]);
  if (!write_rows (intake, pg, g_array_index (lane->pending, LaneMessage, n - 1).message, error))
    return FALSE;
  count_runs (intake);
  if (!publish_work (intake, error))
    {
      /* The rows are there: what is missing on the work topics is found and sent by the dispatcher. */
      log_warning_every (10, "intake publish", "Work messages wait for Kafka", (*error)->message);
      g_clear_error (error);
    }
  return TRUE;
}

static void
intake_clear (Intake *intake)
{
  g_array_unref (intake->specs);
  g_ptr_array_unref (intake->dead);
  g_ptr_array_unref (intake->dead_sources);
  g_ptr_array_unref (intake->dead_reasons);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Intake, intake_clear)

/* The first N pending messages. REASON: why the database does not take the row of the only one. */
static gboolean
try_batch (Service *service, Pg *pg, Lane *lane, guint n, const char *reason, GError **error)
{
  g_auto (Intake) intake = { .service = service, .lane = lane, .specs = run_specs_new (),
                             .dead = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free),
                             .dead_sources = g_ptr_array_new (), .dead_reasons = g_ptr_array_new_with_free_func (g_free),
                             .refusal = reason };
  return take_batch (&intake, pg, n, error);
}

/* A row that the database does not take must not stop the others: the batch is halved until that one stands alone. */
static gboolean
try_smaller (Service *service, Pg *pg, Lane *lane, guint *n, GError **error)
{
  GError *cause = NULL;
  gboolean ok = try_batch (service, pg, lane, *n, NULL, &cause);
  while (!ok && cause->code == PRUNED_DATA && *n > 1)
    {
      g_clear_error (&cause);
      *n /= 2;
      ok = try_batch (service, pg, lane, *n, NULL, &cause);
    }
  if (!ok && cause->code == PRUNED_DATA)
    {
      g_autofree char *reason = g_strdup_printf ("undecodable: %s", cause->message);
      g_clear_error (&cause);
      ok = try_batch (service, pg, lane, 1, reason, &cause);
    }
  if (cause != NULL)
    g_propagate_error (error, cause);
  return ok;
}

LaneNext
intake_handle (Service *service, Pg *pg, Lane *lane, guint max, gint64 *hold_us)
{
  g_autoptr (GError) error = NULL;
  guint n = MIN (lane->pending->len, max);
  if (!try_smaller (service, pg, lane, &n, &error))
    {
      (void)answer_outage (service, lane, error);
      if (!lane->started)
        g_array_set_size (lane->pending, 0);
      *hold_us = answer_hold_us (lane->outages);
      return LANE_HOLD;
    }
  lane->outages = 0;
  stats_add (STATS_MESSAGES, lane->is_ticks ? "ticks" : "events", NULL, n);
  g_array_remove_range (lane->pending, 0, n);
  dispatcher_wake (service->dispatcher, 0);
  return lane->pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}

/* --- where to begin ------------------------------------------------------------------------------------- */

/* Is the message before OFFSET another one than the last we took? Then the topic was made anew. */
static gboolean
is_remade (Service *service, const Lane *lane, gint64 low, gint64 high, gboolean *remade, GError **error)
{
  *remade = lane->mine > high;
  if (*remade || lane->mine - 1 < low)
    return TRUE;
  gint64 timestamp_ms = 0;
  GError *cause = NULL;
  gboolean found = kafka_message_timestamp (service->kafka_settings, lane->topic, lane->number, lane->mine - 1,
                                            &timestamp_ms, &cause);
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  *remade = found && timestamp_ms != lane->mine_last_ms;
  return TRUE;
}

static gboolean
read_mine (Service *service, Pg *pg, Lane *lane, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "intake_start.sql", values, error);
  if (rows == NULL)
    return FALSE;
  lane->mine = rows_count (rows) > 0 ? rows_int (rows, 0, "next_offset") : -1;
  lane->mine_last_ms = rows_count (rows) > 0 ? rows_int (rows, 0, "last_ms") : 0;
  return TRUE;
}

gboolean
intake_start (Service *service, Pg *pg, Lane *lane, GError **error)
{
  gint64 committed, low, high;
  gboolean remade = FALSE;
  if (!read_mine (service, pg, lane, error)
      || !kafka_partition_committed (lane->partition, 5000, &committed, error)
      || !kafka_partition_watermarks (lane->partition, 5000, &low, &high, error)
      || (lane->mine >= 0 && !is_remade (service, lane, low, high, &remade, error)))
    return FALSE;
  gint64 start = lane->mine < 0 ? committed : committed < 0 ? lane->mine : MIN (lane->mine, committed);
  if (remade || start < low || start > high)
    start = low;
  lane->remade = remade;
  if (!kafka_partition_seek (lane->partition, start, error))
    return FALSE;
  lane->started = TRUE;
  g_autofree char *at = g_strdup_printf ("%" G_GINT64_FORMAT, start);
  g_autofree char *partition = g_strdup_printf ("%d", lane->number);
  log_debug ("Intake begins", "topic", lane->topic, "partition", partition, "offset", at);
  return TRUE;
}
