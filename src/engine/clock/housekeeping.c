#include "engine/clock/housekeeping.h"

#include "base/thread.h"
#include "engine/clock/blocked.h"
#include "engine/clock/clock_set_back.h"
#include "engine/clock/group.h"
#include "engine/clock/growth.h"
#include "engine/clock/janitor.h"
#include "engine/clock/jobs_off.h"
#include "engine/clock/left_out.h"
#include "engine/clock/letters.h"
#include "engine/clock/missing.h"
#include "engine/clock/outbox_left.h"
#include "engine/clock/chores.h"
#include "engine/clock/processes.h"
#include "engine/clock/reads.h"
#include "engine/clock/rounds.h"
#include "engine/clock/settings_changed.h"
#include "engine/clock/silent.h"
#include "engine/job/in_force.h"
#include "engine/lane/astray.h"
#include "engine/outbox/transaction.h"
#include "engine/step/throttle.h"

#include <pthread.h>

#define EVERY_US G_USEC_PER_SEC
#define SAID "Housekeeping failed; will retry"

struct _Housekeeping {
  Rounds rounds;
  Chores *chores;
  Wake *wake; /* stops the thread */
  Missing *missing;
  OutboxLeft *left;
  ThrottleEye *throttle;
  guint seen;  /* number of the settings that `throttle` looks for; 0: none yet */
  guint noted; /* number of the settings that the journal knows; 0: none yet */
  pthread_t thread;
};

static gboolean
note_settings (Service *service, Pg *pg, GError **error)
{
  Housekeeping *housekeeping = service->housekeeping.self;
  guint number = in_force_number ();
  if (housekeeping->noted == number)
    return TRUE;
  if (!settings_changed (service, pg, housekeeping->noted == 0 ? "start" : "reload", error))
    return FALSE;
  housekeeping->noted = number;
  return TRUE;
}

static gboolean
look_at_load (Service *service, Pg *pg, GError **error)
{
  Housekeeping *housekeeping = service->housekeeping.self;
  if (housekeeping->seen != in_force_number ()) {
    g_clear_pointer (&housekeeping->throttle, throttle_eye_free);
    housekeeping->throttle = throttle_eye_new (in_force_jobs ());
    housekeeping->seen = in_force_number ();
  }
  return throttle_beat (housekeeping->throttle, pg, error);
}

static gboolean
tell_reads (Service *service, Pg *pg, GError **error)
{
  return reads_tell (pg, error);
}

static gboolean
put_off (Service *service, Pg *pg, GError **error)
{
  return jobs_off_look (pg, error);
}

static gboolean
remove_sent (Service *service, Pg *pg, GError **error)
{
  return transaction_remove_sent (service->publisher, pg, error);
}

static gboolean
send_left (Service *service, Pg *pg, GError **error)
{
  return outbox_left_look (service->housekeeping.self->left, pg, error);
}

static gboolean
find_missing (Service *service, Pg *pg, GError **error)
{
  return missing_look (service->housekeeping.self->missing, pg, error);
}

/* In the order in which they are done. */
static const Chore CHORES[] = {
  { "this process's row", 0, processes_beat },
  { "members of the group", 0, group_look },
  { "what jobs read", 5 * G_USEC_PER_SEC, tell_reads },
  { "jobs that are left out", 5 * G_USEC_PER_SEC, left_out_look },
  { "thresholds", 0, look_at_load },
  { "settings in the journal", 0, note_settings },
  { "runs of jobs that are off", 0, put_off },
  { "the database's clock", 0, clock_set_back_look },
  { "messages that were sent", 0, remove_sent },
  { "messages that were left", 0, send_left },
  { "growth of the ledger", 0, growth_look },
  { "partitions that went astray", 0, astray_look },
  { "missing messages", 0, find_missing },
  { "blocked ticks", 0, blocked_look },
  { "dead letters", 5 * G_USEC_PER_SEC, letters_look },
  { "sections that take nothing", 10 * G_USEC_PER_SEC, silent_look },
  { "entries of rows that are gone", 10 * G_USEC_PER_SEC, janitor_sweep },
  { "this machine's clock", 0, janitor_tell_clock },
  { "states of jobs", 10 * G_TIME_SPAN_MINUTE, janitor_note_states },
  { "new days of the audit", 10 * G_TIME_SPAN_MINUTE, janitor_make_days },
  { "old days of audit and archive", 10 * G_TIME_SPAN_MINUTE, janitor_drop_days },
  { "old timers", 10 * G_TIME_SPAN_MINUTE, janitor_forget_timers },
  { "old verdicts on letters", 10 * G_TIME_SPAN_MINUTE, janitor_forget_verdicts },
  { "old lines of the journal", 10 * G_TIME_SPAN_MINUTE, janitor_forget_journal },
  { "old ids of events", 10 * G_TIME_SPAN_MINUTE, janitor_forget_event_ids },
  { "schedules", 15 * G_USEC_PER_SEC, janitor_mend_schedules },
  { "the archive", 5 * G_USEC_PER_SEC, janitor_archive },
};

/* What a reload has just put in force is told, too. */
static void
leave (Housekeeping *housekeeping)
{
  g_autoptr (GError) error = NULL;
  in_force_renew ();
  if (!note_settings (housekeeping->rounds.service, housekeeping->rounds.pg, &error))
    log_warning ("Changed settings are missing in the journal", "detail", error->message);
  processes_leave (housekeeping->rounds.pg);
}

static void *
housekeeping_main (void *data)
{
  Housekeeping *housekeeping = data;
  gint64 wait_us = 0;
  pthread_setname_np (pthread_self (), "housekeeping");
  while (wake_sleep (housekeeping->wake, wait_us)) {
    in_force_renew ();
    g_autoptr (GError) error = NULL;
    if (chores_round (housekeeping->chores, housekeeping->rounds.service, housekeeping->rounds.pg,
                      &error)) {
      housekeeping->rounds.failures = 0;
      wait_us = EVERY_US;
    } else
      wait_us = rounds_failed (&housekeeping->rounds, SAID, &error);
  }
  if (housekeeping->rounds.failures
      == 0) /* else PostgreSQL may be down, and the shutdown must not wait */
    leave (housekeeping);
  return NULL;
}

static void
clear (Housekeeping *housekeeping)
{
  chores_free (housekeeping->chores);
  left_out_end ();
  missing_free (housekeeping->missing);
  outbox_left_free (housekeeping->left);
  g_clear_pointer (&housekeeping->throttle, throttle_eye_free);
  pg_free (housekeeping->rounds.pg);
  wake_free (housekeeping->wake);
  g_free (housekeeping);
}

Housekeeping *
housekeeping_new (Service *service, GError **error)
{
  Housekeeping *housekeeping = g_new0 (Housekeeping, 1);
  housekeeping->rounds = (Rounds){ service, pg_new (&service->pg), 0 };
  housekeeping->wake = wake_new ();
  housekeeping->missing = missing_new (service);
  housekeeping->left = outbox_left_new (service);
  service->housekeeping.self = housekeeping;
  housekeeping->chores
      = chores_new (CHORES, G_N_ELEMENTS (CHORES), SAID, &service->housekeeping.more);
  if (thread_start (&housekeeping->thread, housekeeping_main, housekeeping, error))
    return housekeeping;
  clear (housekeeping);
  return NULL;
}

void
housekeeping_stop (Housekeeping *housekeeping)
{
  if (housekeeping == NULL)
    return;
  wake_stop (housekeeping->wake);
  pthread_join (housekeeping->thread, NULL);
  clear (housekeeping);
}
