#include "engine/clock/housekeeping.h"

#include "engine/clock/blocked.h"
#include "engine/clock/growth.h"
#include "engine/clock/janitor.h"
#include "engine/clock/left.h"
#include "engine/clock/letters.h"
#include "engine/clock/missing.h"
#include "engine/clock/off.h"
#include "engine/clock/processes.h"
#include "engine/clock/rounds.h"
#include "engine/clock/settings_changed.h"
#include "engine/clock/went_back.h"
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
  Left *left;
  ThrottleEye *throttle;
  guint seen;  /* number of the settings that `throttle` looks for; 0: none yet */
  guint noted; /* number of the settings that the journal knows; 0: none yet */
  pthread_t thread;
};

static gboolean
note_settings (Housekeeping *self, GError **error)
{
  guint number = in_force_number ();
  if (self->noted == number)
    return TRUE;
  if (!settings_changed (self->rounds.service, self->rounds.pg,
                         self->noted == 0 ? "start" : "reload", error))
    return FALSE;
  self->noted = number;
  return TRUE;
}

static gboolean
look_at_load (Housekeeping *self, GError **error)
{
  if (self->seen != in_force_number ()) {
    g_clear_pointer (&self->throttle, throttle_eye_free);
    self->throttle = throttle_eye_new (in_force_jobs ());
    self->seen = in_force_number ();
  }
  return throttle_beat (self->throttle, self->rounds.pg, error);
}

static gboolean
round_once (Housekeeping *self, GError **error)
{
  Service *service = self->rounds.service;
  Pg *pg = self->rounds.pg;
  return processes_beat (service, pg, error) && look_at_load (self, error)
         && note_settings (self, error) && off_look (pg, error)
         && went_back_look (service, pg, error)
         && transaction_remove_sent (service->publisher, pg, error)
         && left_look (self->left, pg, error) && growth_look (service, pg, error)
         && astray_look (service, pg, error) && missing_look (self->missing, pg, error)
         && blocked_look (service, pg, error) && letters_look (service, pg, error)
         && janitor_look (service, pg, error);
}

/* What a reload has just put in force is told, too. */
static void
leave (Housekeeping *self)
{
  g_autoptr (GError) error = NULL;
  in_force_renew ();
  if (!note_settings (self, &error))
    log_warning ("Changed settings are missing in the journal", "detail", error->message);
  processes_leave (self->rounds.pg);
}

static void *
housekeeping_main (void *data)
{
  Housekeeping *self = data;
  gint64 wait_us = 0;
  pthread_setname_np (pthread_self (), "housekeeping");
  while (wake_sleep (self->wake, wait_us)) {
    in_force_renew ();
    g_autoptr (GError) error = NULL;
    if (round_once (self, &error)) {
      self->rounds.failures = 0;
      wait_us = EVERY_US;
    } else
      wait_us = rounds_failed (&self->rounds, "Housekeeping failed; will retry", &error);
  }
  if (self->rounds.failures == 0) /* else PostgreSQL may be down, and the shutdown must not wait */
    leave (self);
  return NULL;
}

Housekeeping *
housekeeping_new (Service *service)
{
  Housekeeping *self = g_new0 (Housekeeping, 1);
  self->rounds = (Rounds){ service, pg_new (&service->pg), 0 };
  self->wake = wake_new ();
  self->missing = missing_new (service);
  self->left = left_new (service);
  if (pthread_create (&self->thread, NULL, housekeeping_main, self) != 0)
    g_error ("cannot start a thread");
  return self;
}

void
housekeeping_stop (Housekeeping *self)
{
  wake_stop (self->wake);
  pthread_join (self->thread, NULL);
  missing_free (self->missing);
  left_free (self->left);
  g_clear_pointer (&self->throttle, throttle_eye_free);
  pg_free (self->rounds.pg);
  wake_free (self->wake);
  g_free (self);
}
