#include "engine/clock/housekeeping.h"

#include "base/thread.h"
#include "engine/clock/blocked.h"
#include "engine/clock/clock_set_back.h"
#include "engine/clock/growth.h"
#include "engine/clock/janitor.h"
#include "engine/clock/jobs_off.h"
#include "engine/clock/letters.h"
#include "engine/clock/missing.h"
#include "engine/clock/outbox_left.h"
#include "engine/clock/processes.h"
#include "engine/clock/rounds.h"
#include "engine/clock/settings_changed.h"
#include "engine/job/in_force.h"
#include "engine/lane/astray.h"
#include "engine/outbox/transaction.h"
#include "engine/step/throttle.h"

#include <pthread.h>

#define EVERY_US G_USEC_PER_SEC

struct _Housekeeping {
  Rounds rounds;
  Wake *wake; /* stops the thread */
  Missing *missing;
  OutboxLeft *left;
  ThrottleEye *throttle;
  guint seen;  /* number of the settings that `throttle` looks for; 0: none yet */
  guint noted; /* number of the settings that the journal knows; 0: none yet */
  pthread_t thread;
};

static gboolean
note_settings (Housekeeping *housekeeping, GError **error)
{
  guint number = in_force_number ();
  if (housekeeping->noted == number)
    return TRUE;
  if (!settings_changed (housekeeping->rounds.service, housekeeping->rounds.pg,
                         housekeeping->noted == 0 ? "start" : "reload", error))
    return FALSE;
  housekeeping->noted = number;
  return TRUE;
}

static gboolean
look_at_load (Housekeeping *housekeeping, GError **error)
{
  if (housekeeping->seen != in_force_number ()) {
    g_clear_pointer (&housekeeping->throttle, throttle_eye_free);
    housekeeping->throttle = throttle_eye_new (in_force_jobs ());
    housekeeping->seen = in_force_number ();
  }
  return throttle_beat (housekeeping->throttle, housekeeping->rounds.pg, error);
}

static gboolean
round_once (Housekeeping *housekeeping, GError **error)
{
  Service *service = housekeeping->rounds.service;
  Pg *pg = housekeeping->rounds.pg;
  return processes_beat (service, pg, error) && look_at_load (housekeeping, error)
         && note_settings (housekeeping, error) && jobs_off_look (pg, error)
         && clock_set_back_look (service, pg, error)
         && transaction_remove_sent (service->publisher, pg, error)
         && outbox_left_look (housekeeping->left, pg, error) && growth_look (service, pg, error)
         && astray_look (service, pg, error) && missing_look (housekeeping->missing, pg, error)
         && blocked_look (service, pg, error) && letters_look (service, pg, error)
         && janitor_look (service, pg, error);
}

/* What a reload has just put in force is told, too. */
static void
leave (Housekeeping *housekeeping)
{
  g_autoptr (GError) error = NULL;
  in_force_renew ();
  if (!note_settings (housekeeping, &error))
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
    if (round_once (housekeeping, &error)) {
      housekeeping->rounds.failures = 0;
      wait_us = EVERY_US;
    } else
      wait_us = rounds_failed (&housekeeping->rounds, "Housekeeping failed; will retry", &error);
  }
  if (housekeeping->rounds.failures
      == 0) /* else PostgreSQL may be down, and the shutdown must not wait */
    leave (housekeeping);
  return NULL;
}

static void
clear (Housekeeping *housekeeping)
{
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
