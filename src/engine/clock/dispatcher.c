#include "engine/clock/dispatcher.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/thread.h"
#include "engine/clock/broker_clock.h"
#include "engine/clock/chores.h"
#include "engine/clock/erasures.h"
#include "engine/clock/hours_changed.h"
#include "engine/clock/rounds.h"
#include "engine/clock/schedule.h"
#include "engine/job/in_force.h"
#include "engine/ledger/place.h"
#include "engine/ledger/schema.h"
#include "engine/work/bad_rows.h"
#include "engine/lane/early.h"

#include <pthread.h>

#define SQL "src/engine/clock/sql/"
#define IDLE_US G_USEC_PER_SEC
#define SAID "Dispatcher round failed; will retry"
#define REFUSALS 3
#define UNSENT_MOST 5000 /* messages on their way to Kafka */
#define BEGINNING_OF_TIME "00000000-0000-0000-0000-000000000000"

/* Messages of runs that are ready already. */
typedef struct {
  Bundle *bundle;
  gint64 since_us; /* monotonic: not after the runs became ready */
  atomic_int done; /* all are acknowledged, or have failed */
} Sent;

struct _Dispatcher {
  Service *service;
  Rounds rounds;
  Chores *chores;
  char *keyed; /* jobs that are on, whose ticks take a unique key, as an array literal */
  char *known; /* jobs of this process that are on */
  pthread_t thread;
  GQueue unsent;           /* of Sent, oldest first */
  gint64 wait_us;          /* until something is due */
  gboolean fired, started; /* in this round: what is due in cron, and due runs */
  guint jobs;              /* number of the settings whose jobs are noted; 0: none */
  guint planted;           /* number of the settings whose schedules are planted */
  guint hours;             /* number of the settings by whose quiet hours runs wait; 0: not known */
  guint n_unsent;          /* messages in `unsent` */
  guint refused;           /* how often Kafka has refused the oldest of `unsent` while it was up */
};

static Bundle *
new_bundle (void)
{
  return bundle_new (BEGINNING_OF_TIME, 0, "", 0);
}

static void
sent_free (gpointer data)
{
  Sent *sent = data;
  bundle_free (sent->bundle); /* after this, `done` is not written any more */
  g_free (sent);
}

static void
on_done (gpointer data)
{
  atomic_store (&((Sent *)data)->done, TRUE);
}

static void
note_unsent (Dispatcher *dispatcher)
{
  const Sent *oldest = g_queue_peek_head (&dispatcher->unsent);
  atomic_store (&dispatcher->service->shared.unsent_since_us,
                oldest != NULL ? oldest->since_us : 0);
}

/* Takes BUNDLE, whose runs became ready at SINCE_US or later. */
static void
send_begin (Dispatcher *dispatcher, Bundle *bundle, gint64 since_us)
{
  Sent *sent = g_new0 (Sent, 1);
  sent->bundle = bundle;
  sent->since_us = since_us;
  g_queue_push_tail (&dispatcher->unsent, sent);
  dispatcher->n_unsent += bundle_size (bundle);
  note_unsent (dispatcher);
  FAULT ("dispatcher.before_send");
  publisher_begin_plain (dispatcher->service->publisher, bundle, on_done, sent);
  FAULT ("dispatcher.after_send");
}

/* Waits for the oldest messages, and sends again those that Kafka has not acknowledged. While Kafka
 * is down this is retried for ever; if Kafka is up and refuses (a message too large, a topic
 * deleted), they are given up after REFUSALS, so that they do not block the others. missing.c then
 * finds the runs, as it does after a crash. */
static gboolean
send_oldest (Dispatcher *dispatcher, GError **error)
{
  Service *service = dispatcher->service;
  Sent *oldest = g_queue_peek_head (&dispatcher->unsent);
  gboolean sent = publisher_send_plain (service->publisher, oldest->bundle, error);
  if (!sent && !kafka_producer_is_up (service->producer))
    dispatcher->refused = 0;
  else if (sent || ++dispatcher->refused == REFUSALS) {
    dispatcher->n_unsent -= bundle_size (oldest->bundle);
    sent_free (g_queue_pop_head (&dispatcher->unsent));
    note_unsent (dispatcher);
    dispatcher->refused = 0;
  }
  return sent;
}

/* Due runs do not wait for the broker's answers about others, unless many are missing. */
static gboolean
send_unsent (Service *service, Pg *pg, GError **error)
{
  Dispatcher *dispatcher = service->dispatcher.self;
  Sent *oldest;
  while ((oldest = g_queue_peek_head (&dispatcher->unsent)) != NULL
         && (atomic_load (&oldest->done) || dispatcher->n_unsent >= UNSENT_MOST))
    if (!send_oldest (dispatcher, error))
      return FALSE;
  return TRUE;
}

static void
offer_early (const Dispatcher *dispatcher, const GPtrArray *runs)
{
  for (guint i = 0; runs->len <= EARLY_MOST && i < runs->len; i++) {
    const Run *run = runs->pdata[i];
    early_offer (dispatcher->service->lanes, run->job, run->slot,
                 &(Work){ run->run_id, run->step, run->attempts }, FALSE);
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
  const gint64 since_us = clock_monotonic_us ();
  gboolean keyless;
  if (!pg_begin (dispatcher->rounds.pg, error)
      || !place_due (dispatcher->rounds.pg, in_force_jobs (), dispatcher->keyed, bundle, &keyless,
                     error))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (dispatcher->rounds.pg, SQL "due.sql", values, error);
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
  if (!pg_commit (dispatcher->rounds.pg, error))
    return FALSE;
  if (bundle_size (bundle) > 0)
    FAULT ("dispatcher.after_commit");
  offer_early (dispatcher, runs);
  if (bundle_size (bundle) > 0)
    send_begin (dispatcher, g_steal_pointer (&bundle), since_us);
  return TRUE;
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

/* Notes what the dispatcher needs to know about the jobs in force. */
static void
know_jobs (Dispatcher *dispatcher)
{
  Service *service = dispatcher->service;
  const Jobs *jobs = in_force_jobs ();
  dispatcher->jobs = in_force_number ();
  guint had = service->dispatcher.n_tick_again, n = jobs_numbers (jobs);
  g_free (dispatcher->keyed);
  g_free (dispatcher->known);
  dispatcher->keyed = keyed_jobs (jobs);
  dispatcher->known = in_force_names (TRUE);
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
  gboolean planted = schedule_plant (dispatcher->rounds.pg, error);
  if (planted)
    dispatcher->planted = in_force_number ();
  return planted;
}

static gboolean
obey_hours (Dispatcher *dispatcher, GError **error)
{
  const guint number = in_force_number ();
  gboolean more = FALSE;
  if (dispatcher->hours != number && !hours_changed (dispatcher->rounds.pg, &more, error))
    return FALSE;
  if (!more) /* else the next round takes the next page */
    dispatcher->hours = number;
  return TRUE;
}

/* --- parts --- */

/* Not by schedules that a reload has changed. */
static gboolean
fire_cron (Service *service, Pg *pg, GError **error)
{
  Dispatcher *dispatcher = service->dispatcher.self;
  broker_clock_tell (service->dispatcher.broker_clock);
  dispatcher->fired = plant_changed (dispatcher, error) && schedule_fire (service, pg, error);
  return dispatcher->fired;
}

/* Not in hours that are quiet by now, and not while too many messages are on their way. */
static gboolean
start_due (Service *service, Pg *pg, GError **error)
{
  Dispatcher *dispatcher = service->dispatcher.self;
  gboolean more = FALSE;
  if (dispatcher->n_unsent >= UNSENT_MOST)
    return TRUE;
  if (!obey_hours (dispatcher, error) || !claim_due (dispatcher, &more, error))
    return FALSE;
  dispatcher->started = TRUE;
  if (more)
    dispatcher->wait_us = 0;
  return TRUE;
}

/* A part that has failed says itself when it is done again. */
static gboolean
look_ahead (Service *service, Pg *pg, GError **error)
{
  Dispatcher *dispatcher = service->dispatcher.self;
  g_autoptr (PgRows) rows
      = dispatcher->started ? pg_run_file (pg, SQL "next_due.sql", NULL, error) : NULL;
  if (dispatcher->started && rows == NULL)
    return FALSE;
  if (rows != NULL && rows_count (rows) > 0)
    dispatcher->wait_us = MIN (dispatcher->wait_us, rows_int (rows, 0, "wait"));
  return !dispatcher->fired || schedule_next (service, pg, &dispatcher->wait_us, error);
}

/* In the order in which they are done. */
static const Chore CHORES[] = { { "messages of due runs", 0, send_unsent },
                                { "cron", 0, fire_cron },
                                { "erasures", 0, erasures_wake },
                                { "due runs", 0, start_due },
                                { "what is due next", 0, look_ahead } };

static gboolean
round_once (Dispatcher *dispatcher, gint64 *wait_us, GError **error)
{
  if (dispatcher->jobs != in_force_number ())
    know_jobs (dispatcher);
  dispatcher->wait_us = IDLE_US;
  dispatcher->fired = dispatcher->started = FALSE;
  if (!chores_round (dispatcher->chores, dispatcher->service, dispatcher->rounds.pg, error))
    return FALSE;
  *wait_us = dispatcher->wait_us;
  return TRUE;
}

static void *
dispatcher_main (void *data)
{
  Dispatcher *dispatcher = data;
  Service *service = dispatcher->service;
  gint64 wait_us = 0;
  gboolean looked = FALSE;
  pthread_setname_np (pthread_self (), "dispatcher");
  schema_warn_indexes (dispatcher->rounds.pg, in_force_jobs ());
  while (wake_sleep (service->wake, wait_us)) {
    in_force_renew ();
    g_autoptr (GError) error = NULL;
    looked = looked || bad_rows_end_all (service, dispatcher->rounds.pg, &error);
    if (looked && round_once (dispatcher, &wait_us, &error))
      dispatcher->rounds.failures = 0;
    else
      wait_us = rounds_failed (&dispatcher->rounds, SAID, &error);
  }
  return NULL;
}

static void
clear (Dispatcher *dispatcher)
{
  g_clear_pointer (&dispatcher->service->dispatcher.broker_clock, broker_clock_free);
  chores_free (dispatcher->chores);
  g_queue_clear_full (&dispatcher->unsent, sent_free);
  pg_free (dispatcher->rounds.pg);
  g_free (dispatcher->keyed);
  g_free (dispatcher->known);
  g_free (dispatcher);
}

Dispatcher *
dispatcher_new (Service *service, GError **error)
{
  Dispatcher *dispatcher = g_new0 (Dispatcher, 1);
  dispatcher->service = service;
  dispatcher->rounds = (Rounds){ service, pg_new (&service->pg), 0 };
  dispatcher->planted = in_force_number (); /* startup.c planted them */
  know_jobs (dispatcher);
  service->dispatcher.self = dispatcher;
  dispatcher->chores = chores_new (CHORES, G_N_ELEMENTS (CHORES), SAID, NULL);
  service->dispatcher.broker_clock
      = broker_clock_new (service->producer, service->clock_topic, &service->origin, service->wake);
  atomic_store (&service->shared.ticks_asked, TRUE); /* until the first look */
  if (thread_start (&dispatcher->thread, dispatcher_main, dispatcher, error))
    return dispatcher;
  clear (dispatcher);
  return NULL;
}

void
dispatcher_stop (Dispatcher *dispatcher)
{
  if (dispatcher == NULL)
    return;
  wake_stop (dispatcher->service->wake);
  pthread_join (dispatcher->thread, NULL);
  clear (dispatcher);
}
