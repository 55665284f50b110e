#include "engine/clock/schedule.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "base/fault.h"
#include "engine/clock/broker_clock.h"
#include "engine/job/in_force.h"
#include "engine/ledger/place.h"

#define SQL "src/engine/clock/sql/"
#define LATE_US (60 * G_USEC_PER_SEC)
#define MOST_RECORDED 1000
#define AGAIN_US (30 * G_USEC_PER_SEC) /* a tick that nobody has taken is published again */

/* What is to be done about one schedule that is due. */
typedef struct {
  gint64 fire_us;   /* -1: nothing is published */
  gint64 next_us;   /* -1: the schedule stays where it is */
  GArray *missed;   /* of gint64: recorded as skipped */
  gboolean in_turn; /* `all`: one after the other */
  gboolean waits;   /* an unfinished run holds the key */
} Decision;

/* What `next_at` was made from. */
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
    g_array_remove_index (missed, 0); /* the oldest are told by the gap */
  g_array_append_val (missed, at);
}

/* `last` and `none`: everything up to now is dealt with at once. */
static void
decide_all_at_once (const Job *job, gint64 first_us, gint64 now_us, gboolean last,
                    Decision *decision)
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

static void
decide (const Service *service, const Job *job, gint64 next_us, gint64 now_us, gboolean running,
        Decision *decision)
{
  const char *catch_up = config_job_text (in_force_config (), job->name, "catch_up");
  gint64 first = first_kept (service, job, next_us, now_us);
  *decision = (Decision){ .fire_us = -1,
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
  g_autoptr (Bundle) bundle = bundle_new ("", 0, "", 0);
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
fire_at_once (Service *service, Pg *pg, const Job *job, gint64 next_us, const Decision *decision,
              GError **error)
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

/* The schedule moves on only when its tick has become a run: before that nobody can see whether the
 * key is free for the next one. */
static gboolean
fire_in_turn (Service *service, Pg *pg, const Job *job, gint64 next_us, const Decision *decision,
              GError **error)
{
  gboolean taken;
  if (decision->fire_us < 0)
    return fire_at_once (service, pg, job, next_us, decision, error);
  if (!is_taken (pg, job, decision->fire_us, &taken, error))
    return FALSE;
  if (taken) {
    Decision moved = *decision;
    moved.fire_us = -1;
    service->tick_again_us[job->number] = 0;
    return fire_at_once (service, pg, job, next_us, &moved, error);
  }
  gint64 *again_us = &service->tick_again_us[job->number], now = clock_monotonic_us ();
  if (decision->waits || now < *again_us)
    return TRUE;
  *again_us = now + AGAIN_US;
  return publish_tick (service, job, decision->fire_us, error);
}

static gboolean
fire_one (Service *service, Pg *pg, const Job *job, gint64 next_us, gint64 now_us, gboolean running,
          GError **error)
{
  Decision decision;
  decide (service, job, next_us, now_us, running, &decision);
  gboolean ok = (decision.in_turn ? fire_in_turn : fire_at_once) (service, pg, job, next_us,
                                                                  &decision, error);
  g_array_unref (decision.missed);
  return ok;
}

static char *
scheduled_jobs (const Service *service)
{
  GString *array = array_new ();
  for (guint i = 0; i < jobs_count (service->jobs); i++)
    if (in_force_of (jobs_at (service->jobs, i))->cron != NULL)
      array_add (array, jobs_at (service->jobs, i)->name);
  return array_take (array);
}

/* The time up to which ticks may be fired: the database's, unless this machine's clock has not come
 * to it by far. A tick of a time that nobody else believes in would remove what is not over, and
 * those up to it, recorded as missed, could never run when they are due. */
static gint64
agreed_now (const Service *service, gint64 database_us)
{
  gint64 ours_us = clock_now_us () + service->max_skew_us;
  if (database_us <= ours_us)
    return database_us;
  g_autofree char *ahead = g_strdup_printf (
      "%.1f", (double)(database_us - ours_us + service->max_skew_us) / G_USEC_PER_SEC);
  log_warning_every (
      60, "clocks",
      "Ticks of cron wait: the database's clock is ahead of this machine's by so many seconds",
      ahead);
  return ours_us;
}

/* The broker's clock is the third that has to have come to it. *NOW_US is bounded by it; if it is
 * not known, the two others decide. */
static gboolean
broker_agrees (Service *service, gint64 next_us, gint64 *now_us, gboolean *asked)
{
  for (int anew = FALSE; anew <= TRUE; anew++) /* what it said a while ago keeps no tick back: this
                                                  machine may have slept since then */
  {
    gint64 broker_us;
    if (!broker_clock_now (service->broker_clock, anew, &broker_us)) {
      *asked = TRUE;
      return FALSE;
    }
    if (broker_us < 0 || broker_us + service->max_skew_us >= *now_us)
      return TRUE;
    if (anew || broker_us + service->max_skew_us >= next_us) {
      g_autofree char *ahead
          = g_strdup_printf ("%.1f", (double)(*now_us - broker_us) / G_USEC_PER_SEC);
      log_warning_every (
          60, "broker's clock",
          "Ticks of cron wait: the clocks of this machine and the database are ahead of Kafka's by so many seconds",
          ahead);
      *now_us = broker_us + service->max_skew_us;
      return next_us <= *now_us;
    }
  }
  return FALSE;
}

gboolean
schedule_fire (Service *service, Pg *pg, GError **error)
{
  gboolean asked = FALSE;
  service->ticks_held = FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", scheduled_jobs (service));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "schedules_due.sql", values, error);
  if (rows == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    gint64 next_us = rows_int (rows, i, "next_at"),
           now_us = agreed_now (service, rows_int (rows, i, "now"));
    if (next_us > now_us || !broker_agrees (service, next_us, &now_us, &asked))
      service->ticks_held = TRUE;
    else if (!fire_one (service, pg, jobs_find (service->jobs, rows_text (rows, i, "job")), next_us,
                        now_us, rows_bool (rows, i, "running"), error))
      return FALSE;
  }
  g_atomic_int_set (&service->ticks_asked, asked);
  return TRUE;
}

gboolean
schedule_next (Service *service, Pg *pg, gint64 *wait_us, GError **error)
{
  if (service->ticks_held) /* looked at again after the usual pause */
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", scheduled_jobs (service));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "schedules_next.sql", values, error);
  const char *wait = rows != NULL ? rows_text (rows, 0, "wait") : NULL;
  if (wait != NULL)
    *wait_us = MIN (*wait_us, MAX (g_ascii_strtoll (wait, NULL, 10), G_USEC_PER_SEC / 10));
  return rows != NULL;
}

/* A time that a clock which was ahead has left behind: the tick before it would be missed, and
 * nobody would say so. */
static gboolean
mend_one (Service *service, Pg *pg, const Job *job, gint64 now_us, GError **error)
{
  gint64 next = in_force_next (job, now_us);
  if (next < 0)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  pg_values_time (values, "next_at", next);
  pg_values_take (values, "schedule", schedule_text (job));
  g_autoptr (PgRows) mended = pg_run_file (pg, SQL "schedule_mend.sql", values, error);
  if (mended != NULL && rows_count (mended) > 0)
    log_warning ("The next tick was set beyond the schedule's next time, and is planted again",
                 "job", job->name, "next_at", pg_values_get (values, "next_at"));
  return mended != NULL;
}

gboolean
schedule_mend (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) now = pg_run_file (pg, "src/pg/sql/now.sql", NULL, error);
  if (now == NULL)
    return FALSE;
  for (guint i = 0; i < jobs_count (service->jobs); i++)
    if (!mend_one (service, pg, jobs_at (service->jobs, i), rows_int (now, 0, "now"), error))
      return FALSE;
  return TRUE;
}

static gboolean
plant_one (Service *service, Pg *pg, const Job *job, gint64 now_us, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  if (in_force_of (job)->cron == NULL) {
    g_autoptr (PgRows) forgotten = pg_run_file (pg, SQL "schedule_forget.sql", values, error);
    return forgotten != NULL;
  }
  gint64 next = in_force_next (job, now_us);
  if (next < 0)
    pg_values_set (values, "next_at", "infinity");
  else
    pg_values_time (values, "next_at", next);
  pg_values_take (values, "schedule", schedule_text (job));
  g_autoptr (PgRows) planted = pg_run_file (pg, SQL "schedule_plant.sql", values, error);
  return planted != NULL;
}

gboolean
schedule_plant (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) now = pg_run_file (pg, "src/pg/sql/now.sql", NULL, error);
  if (now == NULL)
    return FALSE;
  for (guint i = 0; i < jobs_count (service->jobs); i++)
    if (!plant_one (service, pg, jobs_at (service->jobs, i), rows_int (now, 0, "now"), error))
      return FALSE;
  return TRUE;
}
