#include "engine/service/wake.h"

#include "base/clock.h"

#include <pthread.h>
#include <time.h>

struct _Wake {
  pthread_mutex_t lock;
  pthread_cond_t woken;
  gint64 at_us; /* monotonic */
  gboolean stop;
};

Wake *
wake_new (void)
{
  Wake *wake = g_new0 (Wake, 1);
  wake->at_us = G_MAXINT64;
  pthread_mutex_init (&wake->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&wake->woken, &attributes);
  pthread_condattr_destroy (&attributes);
  return wake;
}

void
wake_free (Wake *wake)
{
  if (wake == NULL)
    return;
  pthread_cond_destroy (&wake->woken);
  pthread_mutex_destroy (&wake->lock);
  g_free (wake);
}

void
wake_in (Wake *wake, gint64 delay_ms)
{
  if (wake == NULL)
    return;
  gint64 at = clock_monotonic_us () + delay_ms * 1000;
  pthread_mutex_lock (&wake->lock);
  if (at < wake->at_us) {
    wake->at_us = at;
    pthread_cond_signal (&wake->woken);
  }
  pthread_mutex_unlock (&wake->lock);
}

gboolean
wake_sleep (Wake *wake, gint64 wait_us)
{
  pthread_mutex_lock (&wake->lock);
  wake->at_us = MIN (wake->at_us, clock_monotonic_us () + wait_us);
  while (!wake->stop && clock_monotonic_us () < wake->at_us) {
    struct timespec until = { wake->at_us / G_USEC_PER_SEC, (wake->at_us % G_USEC_PER_SEC) * 1000 };
    pthread_cond_timedwait (&wake->woken, &wake->lock, &until);
  }
  wake->at_us = G_MAXINT64;
  gboolean go_on = !wake->stop;
  pthread_mutex_unlock (&wake->lock);
  return go_on;
}

void
wake_stop (Wake *wake)
{
  pthread_mutex_lock (&wake->lock);
  wake->stop = TRUE;
  pthread_cond_signal (&wake->woken);
  pthread_mutex_unlock (&wake->lock);
}
