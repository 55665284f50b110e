/* Preloaded, it blocks every poll of Kafka's consumer while the file STALLED_POLL exists. While the
 * file HURRIED_WATCHDOG exists, too, each look of the watchdog thread, which waits for signals,
 * comes at once, and a second later by that thread's clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static _Thread_local time_t ahead_s;

static int
is_there (const char *variable)
{
  const char *file = getenv (variable);
  return file != NULL && access (file, F_OK) == 0;
}

void *
rd_kafka_consumer_poll (void *rk, int timeout_ms)
{
  static void *(*real) (void *, int);
  if (real == NULL)
    real = (void *(*)(void *, int))dlsym (RTLD_NEXT, "rd_kafka_consumer_poll");
  while (is_there ("STALLED_POLL"))
    usleep (20000);
  return real (rk, timeout_ms);
}

int
sigtimedwait (const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
  static int (*real) (const sigset_t *, siginfo_t *, const struct timespec *);
  if (real == NULL)
    real = (int (*) (const sigset_t *, siginfo_t *, const struct timespec *))dlsym (RTLD_NEXT,
                                                                                    "sigtimedwait");
  if (!is_there ("HURRIED_WATCHDOG"))
    return real (set, info, timeout);
  ahead_s++;
  return real (set, info, &(struct timespec){ 0, 5000000 });
}

int
clock_gettime (clockid_t clock, struct timespec *at)
{
  static int (*real) (clockid_t, struct timespec *);
  if (real == NULL)
    real = (int (*) (clockid_t, struct timespec *))dlsym (RTLD_NEXT, "clock_gettime");
  int result = real (clock, at);
  if (result == 0 && clock == CLOCK_MONOTONIC)
    at->tv_sec += ahead_s;
  return result;
}
