#include "engine/service/wake.h"

#include "base/clock.h"
#include "base/condition.h"

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
  condition_init (&wake->woken);
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
  while (!wake->stop && clock_monotonic_us () < wake->at_us)
    (void)condition_wait (&wake->woken, &wake->lock, wake->at_us);
  wake->at_us = G_MAXINT64;
  gboolean stopped = wake->stop;
  pthread_mutex_unlock (&wake->lock);
  return !stopped;
}

void
wake_stop (Wake *wake)
{
  pthread_mutex_lock (&wake->lock);
  wake->stop = TRUE;
  pthread_cond_signal (&wake->woken);
  pthread_mutex_unlock (&wake->lock);
}
