#include "engine/clock/missing.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/work/bury.h"
#include "engine/ledger/run.h"
#include "engine/service/stats.h"

#define SQL "src/engine/clock/sql/"
#define WATERMARK_TIMEOUT_MS 2000
#define LONGEST_PAUSE_S 60
/* How often lanes that never reach their end are checked. */
#define BUSY_EVERY_US (15 * G_USEC_PER_SEC)

/* A question to one lane: are these runs' messages gone? */
typedef struct {
  const Job *job;
  gint32 number;
  gint64 end;      /* the high watermark, asked after the candidates were read */
  GPtrArray *runs; /* of Run */
} Probe;

struct _Missing {
  Service *service;
  GHashTable *probes; /* "job/partition" -> Probe */
  gint64 busy_asked_us;
  GHashTable *pauses; /* "run id/step/attempt" -> seconds until it may be sent once more */
};

static void
probe_free (gpointer data)
{
  Probe *probe = data;
  g_ptr_array_unref (probe->runs);
  g_free (probe);
}

Missing *
missing_new (Service *service)
{
  Missing *missing = g_new0 (Missing, 1);
  missing->service = service;
  missing->probes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, probe_free);
  missing->pauses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return missing;
}

void
missing_free (Missing *missing)
{
  g_hash_table_destroy (missing->probes);
  g_hash_table_destroy (missing->pauses);
  g_free (missing);
}

static char *
name_of (const Job *job, gint32 number)
{
  return g_strdup_printf ("%s/%d", job->name, number);
}

/* The lanes of work without an open probe. A lane that is not at its end cannot answer yet, and its
 * part of the index is full of dead entries, so it is checked seldom. */
static PgValues *
lanes_to_ask (Missing *missing, const GArray *views)
{
  GString *jobs = array_new (), *numbers = array_new (), *partitions = array_new (),
          *capacities = array_new ();
  gint64 now = clock_monotonic_us ();
  gboolean busy_too = now - missing->busy_asked_us >= BUSY_EVERY_US;
  if (busy_too)
    missing->busy_asked_us = now;
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (view->job == NULL || jobs_find (in_force_jobs (), view->job->name) == NULL
        || (!view->at_end && !busy_too))
      continue;
    g_autofree char *name = name_of (view->job, view->number);
    if (g_hash_table_contains (missing->probes, name))
      continue;
    array_add (jobs, view->job->name);
    array_add_int (numbers, view->number);
    array_add_int (partitions, job_partitions (view->job));
    array_add_int (capacities, view->job->capacity);
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "job", array_take (jobs));
  pg_values_take (values, "number", array_take (numbers));
  pg_values_take (values, "partitions", array_take (partitions));
  pg_values_take (values, "capacity", array_take (capacities));
  return values;
}

static char *
message_of (const Run *run)
{
  return g_strdup_printf ("%s/%d/%d", run->run_id, run->step, run->attempts);
}

/* The dispatcher is still sending the message of a run that became ready so long ago. */
static gboolean
may_be_on_its_way (const Missing *missing, gint64 age_s)
{
  gint64 since_us = atomic_load (&missing->service->shared.unsent_since_us);
  return since_us > 0 && age_s <= 1 + (clock_monotonic_us () - since_us) / G_USEC_PER_SEC;
}

static gboolean
may_ask (Missing *missing, const Run *run, gint64 age_s)
{
  if (may_be_on_its_way (missing, age_s))
    return FALSE;
  g_autofree char *message = message_of (run);
  gint64 pause_s = GPOINTER_TO_INT (g_hash_table_lookup (missing->pauses, message));
  return age_s >= MAX (pause_s, 2);
}

static const LaneView *
view_of (const GArray *views, const Job *job, gint32 number)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (view->job != NULL && view->job->number == job->number && view->number == number)
      return view;
  }
  return NULL;
}

static gboolean
open_probes (Missing *missing, const GArray *views, const PgRows *rows, GError **error)
{
  g_autoptr (GHashTable) opened
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, probe_free);
  for (int i = 0; i < rows_count (rows); i++) {
    const Job *job = jobs_find (in_force_jobs (), rows_text (rows, i, "job"));
    g_autoptr (Run) run = run_from_row (job, rows, i);
    if (!may_ask (missing, run, rows_int (rows, i, "age_s")))
      continue;
    gint32 number = job_partition (job, (guint)rows_int (rows, i, "slot"));
    g_autofree char *name = name_of (job, number);
    Probe *probe = g_hash_table_lookup (opened, name);
    if (probe == NULL) {
      probe = g_new0 (Probe, 1);
      probe->job = job;
      probe->number = number;
      probe->runs = g_ptr_array_new_with_free_func ((GDestroyNotify)run_free);
      g_hash_table_insert (opened, g_strdup (name), probe);
    }
    g_ptr_array_add (probe->runs, g_steal_pointer (&run));
  }
  GHashTableIter iter;
  gpointer name, data;
  g_hash_table_iter_init (&iter, opened);
  while (g_hash_table_iter_next (&iter, &name, &data)) {
    Probe *probe = data;
    const LaneView *view = view_of (views, probe->job, probe->number);
    if (view == NULL)
      continue; /* the topic has grown since the slots were asked for */
    if (!kafka_partition_watermarks (view->partition, WATERMARK_TIMEOUT_MS, NULL, &probe->end,
                                     error))
      return FALSE;
    g_hash_table_iter_steal (&iter);
    g_hash_table_insert (missing->probes, name, probe);
  }
  return TRUE;
}

/* Ends the run as dead: its work message cannot be made or sent, for REASON. */
static gboolean
bury_unsendable (Service *service, Pg *pg, const Run *run, const char *reason, GError **error)
{
  g_autoptr (Bundle) outcome = bundle_new (run->run_id, run->step, run->job->name, run->slot);
  Work work = { run->run_id, run->step, run->attempts };
  if (!bury_run (service, pg, run->job, &work, reason, outcome, error))
    return FALSE;
  if (bundle_size (outcome) == 0 || publisher_send (service->publisher, outcome, error))
    return TRUE;
  publisher_abandon (service->publisher, outcome);
  return FALSE;
}

/* Sends one message alone, because a refusal of a batch may be due to the size of the whole batch.
 */
static gboolean
send_alone (Missing *missing, Pg *pg, const Run *run, GError **error)
{
  Service *service = missing->service;
  g_autoptr (Bundle) again = bundle_new_of_no_run ();
  run_add_work (again, run);
  if (!publisher_send_plain (service->publisher, again, error))
    return FALSE;
  const KafkaMessage *message = again->messages->pdata[0];
  if (!message->refused)
    return TRUE;
  g_autofree char *reason
      = g_strdup_printf ("topic %s rejected its work message of %" G_GSIZE_FORMAT
                         " bytes: raise max.message.bytes there, then pruned retry %s",
                         message->topic, message->value_len, run->run_id);
  return bury_unsendable (service, pg, run, reason, error);
}

/* Doubles the run's pause and logs. */
static void
note_sent_again (Missing *missing, const Run *run)
{
  g_autofree char *message = message_of (run);
  gint64 pause_s = GPOINTER_TO_INT (g_hash_table_lookup (missing->pauses, message));
  pause_s = pause_s == 0 ? 2 : MIN (2 * pause_s, LONGEST_PAUSE_S);
  g_hash_table_insert (missing->pauses, g_steal_pointer (&message),
                       GINT_TO_POINTER ((gint)pause_s));
  log_warning ("Work message was missing and is sent again", "job", run->job->name, "run_id",
               run->run_id);
}

/* RUNS: of Run. A run whose row cannot be encoded as a message (a time before 1970) is dead at
 * once. */
static gboolean
send_again (Missing *missing, Pg *pg, const GPtrArray *runs, GError **error)
{
  Service *service = missing->service;
  g_autoptr (Bundle) bundle = bundle_new_of_no_run ();
  g_autoptr (GPtrArray) sent = g_ptr_array_new ();
  for (guint i = 0; i < runs->len; i++) {
    g_autoptr (Bundle) one = bundle_new_of_no_run ();
    run_add_work (one, runs->pdata[i]);
    if (one->wrong != NULL
        && !bury_unsendable (service, pg, runs->pdata[i], one->wrong->message, error))
      return FALSE;
    if (one->wrong != NULL)
      continue;
    note_sent_again (missing, runs->pdata[i]);
    run_add_work (bundle, runs->pdata[i]);
    g_ptr_array_add (sent, runs->pdata[i]);
  }
  if (!publisher_send_plain (service->publisher, bundle, error))
    return FALSE;
  for (guint i = 0; i < sent->len; i++)
    if (((const KafkaMessage *)bundle->messages->pdata[i])->refused
        && !send_alone (missing, pg, sent->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* Sends the messages of those of the probe's runs again that are still at the same step. */
static gboolean
settle_probe (Missing *missing, Pg *pg, const Probe *probe, GError **error)
{
  GString *ids = array_new (), *steps = array_new (), *attempts = array_new ();
  for (guint i = 0; i < probe->runs->len; i++) {
    const Run *run = probe->runs->pdata[i];
    array_add (ids, run->run_id);
    array_add_int (steps, run->step);
    array_add_int (attempts, run->attempts);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "step", array_take (steps));
  pg_values_take (values, "attempt", array_take (attempts));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "still.sql", values, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify)run_free);
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (runs, run_from_row (probe->job, rows, i));
  stats_add (STATS_REPUBLISHED, probe->job->name, NULL, runs->len);
  return send_again (missing, pg, runs, error);
}

/* Closes probes whose lane has handled everything below its end, or was revoked. */
static gboolean
close_probes (Missing *missing, Pg *pg, const GArray *views, GError **error)
{
  GHashTableIter iter;
  gpointer data;
  g_hash_table_iter_init (&iter, missing->probes);
  while (g_hash_table_iter_next (&iter, NULL, &data)) {
    Probe *probe = data;
    const LaneView *view = view_of (views, probe->job, probe->number);
    if (view != NULL && view->handled < probe->end)
      continue;
    if (view != NULL && !settle_probe (missing, pg, probe, error))
      return FALSE;
    g_hash_table_iter_remove (&iter);
  }
  if (g_hash_table_size (missing->probes) == 0 && g_hash_table_size (missing->pauses) > 10000)
    g_hash_table_remove_all (missing->pauses);
  return TRUE;
}

gboolean
missing_look (Missing *missing, Pg *pg, GError **error)
{
  g_autoptr (GArray) views = lanes_view (missing->service->lanes);
  if (!close_probes (missing, pg, views, error))
    return FALSE;
  g_autoptr (PgValues) values = lanes_to_ask (missing, views);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "missing_candidates.sql", values, error);
  return rows != NULL && open_probes (missing, views, rows, error);
}
