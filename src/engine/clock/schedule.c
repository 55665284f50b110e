#include "engine/clock/schedule_private.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "base/fault.h"
#include "engine/clock/clocks.h"
#include "engine/job/in_force.h"
#include "engine/ledger/place.h"

#define SQL "src/engine/clock/sql/"
#define LATE_US (60 * G_USEC_PER_SEC)
#define MOST_RECORDED 1000
#define AGAIN_US (30 * G_USEC_PER_SEC) /* a tick that has not become a run is published again */

/* The settings that `next_at` is computed from. */
static char *
schedule_text (const Job *job)
{
  return g_strdup_printf ("%s %s", config_job_text (in_force_config (), job->name, "schedule"),
                          config_job_text (in_force_config (), job->name, "time_zone"));
}

/* The first fire time whose tick the ledger would still take. */
static gint64
first_kept (const Service *service, const Job *job, gint64 next_us, gint64 now_us)
{
  gint64 oldest = now_us - service->keep_us;
  return next_us >= oldest ? next_us : in_force_next (job, oldest);
}

static void
note_missed (GArray *missed, gint64 at)
{
  if (missed->len == MOST_RECORDED)
    g_array_remove_index (missed, 0); /* the oldest is not recorded */
  g_array_append_val (missed, at);
}

/* `last` and `none`: decides on everything up to now at once. */
static void
decide_all_at_once (const Job *job, gint64 first_us, gint64 now_us, gboolean last,
                    ScheduleDecision *decision)
{
  gint64 at = first_us, next;
  while ((next = in_force_next (job, at)) > 0 && next <= now_us) {
    note_missed (decision->missed, at);
    at = next;
  }
  decision->next_us = next > 0 ? next : G_MAXINT64;
  if (last || now_us - at < LATE_US)
    decision->fire_us = at;
  else
    note_missed (decision->missed, at);
}

void
schedule_decide (const Service *service, const Job *job, gint64 next_us, gint64 now_us,
                 gboolean running, ScheduleDecision *decision)
{
  const char *catch_up = config_job_text (in_force_config (), job->name, "catch_up");
  gint64 first = first_kept (service, job, next_us, now_us);
  *decision = (ScheduleDecision){ .fire_us = -1,
                                  .next_us = -1,
                                  .missed = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  for (gint64 at = next_us; at > 0 && at <= now_us && (first < 0 || at < first);
       at = in_force_next (job, at))
    note_missed (decision->missed, at);
  if (first > now_us || first < 0)
    decision->next_us = first < 0 ? G_MAXINT64 : first;
  else if (!g_str_equal (catch_up, "all"))
    decide_all_at_once (job, first, now_us, g_str_equal (catch_up, "last"), decision);
  else {
    gint64 next = in_force_next (job, first);
    decision->in_turn = TRUE;
    decision->waits = running;
    decision->fire_us = first;
    decision->next_us = next > 0 ? next : G_MAXINT64;
  }
}

static gboolean
publish_tick (Service *service, const Job *job, gint64 at, GError **error)
{
  g_autofree char *time = clock_format (at);
  g_autofree char *topic = publisher_topic (service->publisher, "ticks");
  g_autofree char *ce_id = identity_tick (job->name, at, "{}");
  const char *fields[] = { job->name, time, "{}" };
  g_autoptr (Bundle) bundle = bundle_new_of_no_run ();
  bundle_add (bundle, topic, -1, job->name, "pruned.Tick", ce_id, fields);
  FAULT ("schedule.before_publish");
  if (!publisher_send_plain (service->publisher, bundle, error))
    return FALSE;
  FAULT ("schedule.after_publish");
  return TRUE;
}

/* Missed ticks are rows, never messages. */
static gboolean
record_missed (Pg *pg, const Job *job, const GArray *missed, GError **error)
{
  if (missed->len == 0)
    return TRUE;
  g_autoptr (GArray) specs = run_specs_new ();
  for (guint i = 0; i < missed->len; i++) {
    gint64 at = g_array_index (missed, gint64, i);
    RunSpec spec = { .run_id = identity_tick (job->name, at, "{}"),
                     .job = job,
                     .scheduled_at_us = at,
                     .due_at_us = at,
                     .args = json_object (),
                     .state = "skipped",
                     .error = g_strdup ("missed") };
    g_array_append_val (specs, spec);
  }
  return place_runs (pg, specs, FALSE, error);
}

static gboolean
advance (Pg *pg, const Job *job, gint64 old_us, gint64 next_us, gboolean *ours, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  pg_values_time (values, "old", old_us);
  if (next_us == G_MAXINT64)
    pg_values_set (values, "next_at", "infinity");
  else
    pg_values_time (values, "next_at", next_us);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "schedule_advance.sql", values, error);
  *ours = rows != NULL && rows_count (rows) > 0;
  return rows != NULL;
}

static gboolean
fire_at_once (Service *service, Pg *pg, const Job *job, gint64 next_us,
              const ScheduleDecision *decision, GError **error)
{
  gboolean ours = FALSE;
  gboolean ok = decision->fire_us < 0 || publish_tick (service, job, decision->fire_us, error);
  if (ok && decision->next_us >= 0) {
    ok = pg_begin (pg, error) && advance (pg, job, next_us, decision->next_us, &ours, error)
         && (!ours || record_missed (pg, job, decision->missed, error));
    FAULT ("schedule.before_commit");
    ok = ok && pg_commit (pg, error);
    FAULT ("schedule.after_commit");
  }
  if (ok && ours && decision->missed->len > 0) {
    g_autofree char *n = g_strdup_printf ("%u", decision->missed->len);
    log_warning ("Ticks were missed and are recorded as skipped", "job", job->name, "ticks", n);
  }
  return ok;
}

/* Has the tick at AT become a run? */
static gboolean
is_taken (Pg *pg, const Job *job, gint64 at, gboolean *taken, GError **error)
{
  GString *ids = array_new ();
  g_autofree char *run_id = identity_tick (job->name, at, "{}");
  array_add (ids, run_id);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "exists.sql", values, error);
  *taken = rows != NULL && rows_count (rows) > 0;
  return rows != NULL;
}

/* Advances the schedule only when its tick has become a run: before that, it is unknown whether the
 * key is free for the next one. */
static gboolean
fire_in_turn (Service *service, Pg *pg, const Job *job, gint64 next_us,
              const ScheduleDecision *decision, GError **error)
{
  gboolean taken;
  if (decision->fire_us < 0)
    return fire_at_once (service, pg, job, next_us, decision, error);
  if (!is_taken (pg, job, decision->fire_us, &taken, error))
    return FALSE;
  if (taken) {
    ScheduleDecision moved = *decision;
    moved.fire_us = -1;
    service->dispatcher.tick_again_us[job->number] = 0;
    return fire_at_once (service, pg, job, next_us, &moved, error);
  }
  gint64 *again_us = &service->dispatcher.tick_again_us[job->number], now = clock_monotonic_us ();
  if (decision->waits || now < *again_us)
    return TRUE;
  *again_us = now + AGAIN_US;
  return publish_tick (service, job, decision->fire_us, error);
}

static gboolean
fire_one (Service *service, Pg *pg, const Job *job, gint64 next_us, gint64 now_us, gboolean running,
          GError **error)
{
  ScheduleDecision decision;
  schedule_decide (service, job, next_us, now_us, running, &decision);
  gboolean ok = (decision.in_turn ? fire_in_turn : fire_at_once) (service, pg, job, next_us,
                                                                  &decision, error);
  g_array_unref (decision.missed);
  return ok;
}

static char *
scheduled_jobs (const Service *service)
{
  GString *array = array_new ();
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++)
    if (in_force_of (jobs_at (in_force_jobs (), i))->cron != NULL)
      array_add (array, jobs_at (in_force_jobs (), i)->name);
  return array_take (array);
}

gboolean
schedule_fire (Service *service, Pg *pg, GError **error)
{
  gboolean asked = FALSE;
  service->dispatcher.ticks_held = FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", scheduled_jobs (service));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "schedules_due.sql", values, error);
  if (rows == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    gint64 next_us = rows_int (rows, i, "next_at"), now_us = rows_int (rows, i, "now");
    if (!clocks_reached (service, next_us, &now_us, &asked))
      service->dispatcher.ticks_held = TRUE;
    else if (!fire_one (service, pg, jobs_find (in_force_jobs (), rows_text (rows, i, "job")),
                        next_us, now_us, rows_bool (rows, i, "running"), error))
      return FALSE;
  }
  atomic_store (&service->shared.ticks_asked, asked);
  return TRUE;
}

gboolean
schedule_next (Service *service, Pg *pg, gint64 *wait_us, GError **error)
{
  if (service->dispatcher.ticks_held) /* checked again after the usual pause */
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", scheduled_jobs (service));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "schedules_next.sql", values, error);
  const char *wait = rows != NULL ? rows_text (rows, 0, "wait") : NULL;
  if (wait != NULL)
    *wait_us = MIN (*wait_us, MAX (g_ascii_strtoll (wait, NULL, 10), G_USEC_PER_SEC / 10));
  return rows != NULL;
}

/* --- next times of all jobs, set at once --- */

typedef struct {
  GString *jobs, *next, *schedules; /* arrays */
  guint n;
} Planned;

static Planned
planned_new (void)
{
  return (Planned){ array_new (), array_new (), array_new (), 0 };
}

/* NEXT_US < 0: never again. */
static void
planned_add (Planned *planned, const Job *job, gint64 next_us)
{
  g_autofree char *next = next_us < 0 ? g_strdup ("infinity") : clock_format (next_us),
                  *schedule = schedule_text (job);
  array_add (planned->jobs, job->name);
  array_add (planned->next, next);
  array_add (planned->schedules, schedule);
  planned->n++;
}

/* *ROWS: NULL if nothing is planned. */
static gboolean
planned_run (Planned *planned, Pg *pg, const char *file, PgRows **rows, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", array_take (planned->jobs));
  pg_values_take (values, "next_at", array_take (planned->next));
  pg_values_take (values, "schedule", array_take (planned->schedules));
  *rows = planned->n > 0 ? pg_run_file (pg, file, values, error) : NULL;
  return planned->n == 0 || *rows != NULL;
}

/* Mends a next_at that was computed while a clock was ahead: ticks before it would be missed
 * silently. */
gboolean
schedule_mend (Pg *pg, GError **error)
{
  gint64 now_us;
  if (!pg_now_us (pg, &now_us, error))
    return FALSE;
  Planned planned = planned_new ();
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    gint64 next = in_force_next (job, now_us);
    if (next >= 0)
      planned_add (&planned, job, next);
  }
  g_autoptr (PgRows) mended = NULL;
  if (!planned_run (&planned, pg, SQL "schedule_mend.sql", &mended, error))
    return FALSE;
  for (int i = 0; mended != NULL && i < rows_count (mended); i++) {
    g_autofree char *next = clock_format (rows_int (mended, i, "next_at"));
    log_warning ("Next tick was beyond the schedule's next time; planted again", "job",
                 rows_text (mended, i, "job"), "next_at", next);
  }
  return TRUE;
}

/* Takes JOBS. */
static gboolean
forget (Pg *pg, char *jobs, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", jobs);
  g_autoptr (PgRows) forgotten = pg_run_file (pg, SQL "schedule_forget.sql", values, error);
  return forgotten != NULL;
}

gboolean
schedule_plant (Pg *pg, GError **error)
{
  gint64 now_us;
  if (!pg_now_us (pg, &now_us, error))
    return FALSE;
  GString *off = array_new ();
  guint n_off = 0;
  Planned planned = planned_new ();
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    if (in_force_of (job)->cron != NULL)
      planned_add (&planned, job, in_force_next (job, now_us));
    else {
      array_add (off, job->name);
      n_off++;
    }
  }
  g_autofree char *forgotten = array_take (off);
  g_autoptr (PgRows) planted = NULL;
  return planned_run (&planned, pg, SQL "schedule_plant.sql", &planted, error)
         && (n_off == 0 || forget (pg, g_steal_pointer (&forgotten), error));
}
