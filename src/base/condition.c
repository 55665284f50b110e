#include "base/condition.h"

#include <errno.h>
#include <time.h>

void
condition_init (pthread_cond_t *condition)
{
  pthread_condattr_t attributes;
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (condition, &attributes);
  pthread_condattr_destroy (&attributes);
}

gboolean
condition_wait (pthread_cond_t *condition, pthread_mutex_t *mutex, gint64 deadline_us)
{
  struct timespec until
      = { .tv_sec = deadline_us / G_USEC_PER_SEC, .tv_nsec = deadline_us % G_USEC_PER_SEC * 1000 };
  return pthread_cond_timedwait (condition, mutex, &until) != ETIMEDOUT;
}
