#include "engine/clock/dispatcher.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/clock/blocked.h"
#include "engine/clock/broker_clock.h"
#include "engine/clock/growth.h"
#include "engine/clock/hours_changed.h"
#include "engine/clock/janitor.h"
#include "engine/clock/left.h"
#include "engine/clock/letters.h"
#include "engine/clock/missing.h"
#include "engine/clock/off.h"
#include "engine/clock/processes.h"
#include "engine/clock/schedule.h"
#include "engine/clock/settings_changed.h"
#include "engine/clock/went_back.h"
#include "engine/job/in_force.h"
#include "engine/lane/astray.h"
#include "engine/ledger/place.h"
#include "engine/ledger/schema.h"
#include "engine/step/throttle.h"
#include "engine/work/bad_rows.h"
#include "engine/work/early.h"

#include <pthread.h>

#define SQL "src/engine/clock/sql/"
#define IDLE_US G_USEC_PER_SEC
#define REFUSALS 3
#define BEGINNING_OF_TIME "00000000-0000-0000-0000-000000000000"

struct _Dispatcher {
  Service *service;
  Pg *pg;
  Missing *missing;
  ThrottleEye *throttle;
  char *keyed; /* jobs that are on, whose ticks take a unique key, as an array literal */
  char *known; /* jobs of this process that are on */
  pthread_t thread;
  Bundle *unsent; /* messages of runs that are ready already; NULL: none */
  Left *left;
  guint planted; /* number of the settings whose schedules are planted */
  guint hours;   /* number of the settings by whose quiet hours runs wait; 0: not known */
  guint noted;   /* number of the settings that the journal knows; 0: none yet */
  guint refused; /* how often Kafka has refused `unsent` while it was up */
};

static Bundle *
new_bundle (void)
{
  return bundle_new (BEGINNING_OF_TIME, 0, "", 0);
}

/* Sends again what Kafka has not acknowledged. While Kafka is down this is retried for ever; if
 * Kafka is up and refuses (a message too large, a topic deleted), it is given up after REFUSALS, so
 * that it does not block the others. missing.c then finds the runs, as it does after a crash. */
static gboolean
send_unsent (Dispatcher *dispatcher, GError **error)
{
  Service *service = dispatcher->service;
  if (dispatcher->unsent == NULL)
    return TRUE;
  gboolean sent = publisher_send_plain (service->publisher, dispatcher->unsent, error);
  if (!sent && !kafka_producer_is_up (service->producer))
    dispatcher->refused = 0;
  else if (sent || ++dispatcher->refused == REFUSALS) {
    g_clear_pointer (&dispatcher->unsent, bundle_free);
    dispatcher->refused = 0;
  }
  return sent;
}

static void
offer_early (const Dispatcher *dispatcher, const GPtrArray *runs)
{
  for (guint i = 0; runs->len <= EARLY_MOST && i < runs->len; i++) {
    const Run *run = runs->pdata[i];
    early_offer (dispatcher->service, run->job, run->slot, run->run_id, run->step, run->attempts);
  }
}

/* Due runs become ready in one transaction, their messages follow. */
static gboolean
claim_due (Dispatcher *dispatcher, gboolean *more, GError **error)
{
  g_autoptr (Bundle) bundle = new_bundle ();
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify)run_free);
  pg_values_set (values, "keyed", dispatcher->keyed);
  pg_values_set (values, "known", dispatcher->known);
  gboolean keyless;
  if (!pg_begin (dispatcher->pg, error)
      || !place_due (dispatcher->pg, in_force_jobs (), dispatcher->keyed, bundle, &keyless, error))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (dispatcher->pg, SQL "due.sql", values, error);
  if (rows == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    const Job *job = jobs_find (in_force_jobs (), rows_text (rows, i, "job"));
    Run *run = run_from_row (job, rows, i);
    g_ptr_array_add (runs, run);
    run_add_work (bundle, run);
  }
  *more = keyless || rows_count (rows) > 0;
  if (bundle_size (bundle) > 0)
    FAULT ("dispatcher.before_commit");
  if (!pg_commit (dispatcher->pg, error))
    return FALSE;
  if (bundle_size (bundle) > 0)
    FAULT ("dispatcher.after_commit");
  offer_early (dispatcher, runs);
  dispatcher->unsent = g_steal_pointer (&bundle);
  return send_unsent (dispatcher, error);
}

/* Removes sent messages from the outbox, if no other transaction did it. */
static gboolean
remove_sent (Dispatcher *dispatcher, GError **error)
{
  Publisher *publisher = dispatcher->service->publisher;
  GPtrArray *riding = NULL;
  if (!publisher_owes (publisher))
    return TRUE;
  gboolean ok = pg_begin (dispatcher->pg, error)
                && publisher_remove_sent (publisher, dispatcher->pg, &riding, error)
                && (riding == NULL
                    || (pg_flush (dispatcher->pg, error) && pg_finish (dispatcher->pg, error)))
                && pg_commit (dispatcher->pg, error);
  if (ok)
    publisher_removed (publisher, riding);
  else
    publisher_keep (publisher, riding);
  return ok;
}

static char *
keyed_jobs (const Jobs *jobs)
{
  GString *array = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (jobs_at (jobs, i)->unique_key != NULL && in_force_is_on (jobs_at (jobs, i)))
      array_add (array, jobs_at (jobs, i)->name);
  return array_take (array);
}

/* What is kept of the jobs that are in force. */
static void
know_jobs (Dispatcher *dispatcher)
{
  Service *service = dispatcher->service;
  const Jobs *jobs = in_force_jobs ();
  guint had = service->dispatcher.n_tick_again, n = jobs_numbers (jobs);
  g_free (dispatcher->keyed);
  g_free (dispatcher->known);
  dispatcher->keyed = keyed_jobs (jobs);
  dispatcher->known = in_force_names (TRUE);
  g_clear_pointer (&dispatcher->throttle, throttle_eye_free);
  dispatcher->throttle = throttle_eye_new (jobs);
  service->dispatcher.tick_again_us = g_renew (gint64, service->dispatcher.tick_again_us, n);
  for (guint i = had; i < n; i++)
    service->dispatcher.tick_again_us[i] = 0;
  service->dispatcher.n_tick_again = n;
}

static gboolean
plant_changed (Dispatcher *dispatcher, GError **error)
{
  if (dispatcher->planted == in_force_number ())
    return TRUE;
  know_jobs (dispatcher);
  gboolean planted = schedule_plant (dispatcher->pg, error);
  if (planted)
    dispatcher->planted = in_force_number ();
  return planted;
}

static gboolean
obey_hours (Dispatcher *dispatcher, GError **error)
{
  const guint number = in_force_number ();
  gboolean more = FALSE;
  if (dispatcher->hours != number && !hours_changed (dispatcher->pg, &more, error))
    return FALSE;
  if (!more) /* else the next round takes the next page */
    dispatcher->hours = number;
  return TRUE;
}

static gboolean
note_settings (Dispatcher *dispatcher, GError **error)
{
  guint number = in_force_number ();
  if (dispatcher->noted == number)
    return TRUE;
  if (!settings_changed (dispatcher->service, dispatcher->pg,
                         dispatcher->noted == 0 ? "start" : "reload", error))
    return FALSE;
  dispatcher->noted = number;
  return TRUE;
}

/* At most once a second. */
static gboolean
do_housekeeping (Dispatcher *dispatcher, GError **error)
{
  return processes_beat (dispatcher->service, dispatcher->pg, error)
         && note_settings (dispatcher, error) && off_look (dispatcher->pg, error)
         && went_back_look (dispatcher->service, dispatcher->pg, error)
         && remove_sent (dispatcher, error) && left_look (dispatcher->left, dispatcher->pg, error)
         && growth_look (dispatcher->service, dispatcher->pg, error)
         && astray_look (dispatcher->service, dispatcher->pg, error)
         && missing_look (dispatcher->missing, dispatcher->pg, error)
         && blocked_look (dispatcher->service, dispatcher->pg, error)
         && letters_look (dispatcher->service, dispatcher->pg, error)
         && janitor_look (dispatcher->service, dispatcher->pg, error);
}

static gboolean
next_due (Dispatcher *dispatcher, gint64 *wait_us, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (dispatcher->pg, SQL "next_due.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0)
    *wait_us = MIN (*wait_us, rows_int (rows, 0, "wait"));
  return TRUE;
}

static void *
dispatcher_main (void *data)
{
  Dispatcher *dispatcher = data;
  gint64 wait_us = 0, looked_us = 0;
  guint failures = 0;
  pthread_setname_np (pthread_self (), "dispatcher");
  schema_warn_indexes (dispatcher->pg, in_force_jobs ());
  while (wake_sleep (dispatcher->service->wake, wait_us)) {
    in_force_renew ();
    g_autoptr (GError) error = NULL;
    gboolean more = FALSE;
    gint64 now = clock_monotonic_us ();
    gboolean ok = (looked_us > 0 || bad_rows_end_all (dispatcher->service, dispatcher->pg, &error))
                  && send_unsent (dispatcher, &error) && plant_changed (dispatcher, &error)
                  && obey_hours (dispatcher, &error)
                  && schedule_fire (dispatcher->service, dispatcher->pg, &error)
                  && throttle_beat (dispatcher->throttle, dispatcher->pg, &error)
                  && claim_due (dispatcher, &more, &error);
    if (ok && now - looked_us >= IDLE_US) {
      ok = do_housekeeping (dispatcher, &error);
      looked_us = now;
    }
    wait_us = more ? 0 : IDLE_US;
    if (!ok || !next_due (dispatcher, &wait_us, &error)
        || !schedule_next (dispatcher->service, dispatcher->pg, &wait_us, &error))
      ok = FALSE;
    if (!ok && bad_rows_end_found (dispatcher->service, dispatcher->pg, &error))
      wait_us = 0;
    else if (!ok) {
      pg_rollback (dispatcher->pg);
      log_warning_every (10, "dispatcher", "Dispatcher round failed; will retry", error->message);
      wait_us = (1 << MIN (failures++, 2)) * G_USEC_PER_SEC
                / 2; /* short, to continue within seconds after an outage */
    } else
      failures = 0;
  }
  if (failures == 0) /* else PostgreSQL may be down, and the shutdown must not wait for it */
    processes_leave (dispatcher->pg);
  return NULL;
}

Dispatcher *
dispatcher_new (Service *service)
{
  Dispatcher *dispatcher = g_new0 (Dispatcher, 1);
  dispatcher->service = service;
  dispatcher->pg = pg_new (&service->pg);
  dispatcher->missing = missing_new (service);
  dispatcher->left = left_new (service);
  dispatcher->planted = in_force_number (); /* startup.c planted them */
  know_jobs (dispatcher);
  service->dispatcher.broker_clock
      = broker_clock_new (service->producer, service->clock_topic, service->wake);
  atomic_store (&service->shared.ticks_asked, TRUE); /* until the first look */
  if (pthread_create (&dispatcher->thread, NULL, dispatcher_main, dispatcher) != 0)
    g_error ("cannot start a thread");
  return dispatcher;
}

void
dispatcher_stop (Dispatcher *dispatcher)
{
  wake_stop (dispatcher->service->wake);
  pthread_join (dispatcher->thread, NULL);
  g_clear_pointer (&dispatcher->service->dispatcher.broker_clock, broker_clock_free);
  missing_free (dispatcher->missing);
  throttle_eye_free (dispatcher->throttle);
  g_clear_pointer (&dispatcher->unsent, bundle_free);
  pg_free (dispatcher->pg);
  left_free (dispatcher->left);
  g_free (dispatcher->keyed);
  g_free (dispatcher->known);
  g_free (dispatcher);
}
