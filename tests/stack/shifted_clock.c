/* Preloaded, it shifts the wall clock of a process by SHIFTED_CLOCK_S seconds, as on a machine
 * whose clock is wrong. SHIFTED_CLOCK_FILE: by the number in the first eight bytes of that file;
 * when it changes, the clock jumps. Monotonic clocks are not shifted. Waits until a time of the
 * wall clock end when they would without a shift. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define LEAST_WALL_S 1000000000 /* a smaller time is one of a monotonic clock: since the start */

static const volatile int64_t *shared;

__attribute__ ((constructor)) static void
open_shared (void)
{
  const char *name = getenv ("SHIFTED_CLOCK_FILE");
  int file = name != NULL ? open (name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0)
    return;
  void *mapped = mmap (NULL, sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
  shared = mapped != MAP_FAILED ? mapped : NULL;
  close (file);
}

static time_t
shift_s (void)
{
  const char *text = getenv ("SHIFTED_CLOCK_S");
  return shared != NULL ? *shared : text != NULL ? atol (text) : 0;
}

int
clock_gettime (clockid_t clock, struct timespec *at)
{
  static int (*real) (clockid_t, struct timespec *);
  if (real == NULL)
    real = (int (*) (clockid_t, struct timespec *))dlsym (RTLD_NEXT, "clock_gettime");
  int result = real (clock, at);
  if (result == 0 && clock == CLOCK_REALTIME)
    at->tv_sec += shift_s ();
  return result;
}

int
gettimeofday (struct timeval *restrict at, void *restrict zone)
{
  (void)zone;
  struct timespec precise;
  if (clock_gettime (CLOCK_REALTIME, &precise) != 0)
    return -1;
  *at = (struct timeval){ .tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000 };
  return 0;
}

time_t
time (time_t *at)
{
  struct timespec precise;
  clock_gettime (CLOCK_REALTIME, &precise);
  if (at != NULL)
    *at = precise.tv_sec;
  return precise.tv_sec;
}

int
timespec_get (struct timespec *at, int base)
{
  return base == TIME_UTC && clock_gettime (CLOCK_REALTIME, at) == 0 ? base : 0;
}

static struct timespec
as_the_kernel_counts (const struct timespec *until)
{
  struct timespec real = *until;
  if (real.tv_sec >= LEAST_WALL_S)
    real.tv_sec -= shift_s ();
  return real;
}

int
pthread_cond_timedwait (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                        const struct timespec *restrict until)
{
  static int (*real) (pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  struct timespec at = as_the_kernel_counts (until);
  if (real == NULL)
    real = (int (*) (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlvsym (
        RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (real == NULL)
    real = (int (*) (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym (
        RTLD_NEXT, "pthread_cond_timedwait");
  return real (condition, mutex, &at);
}

int
cnd_timedwait (cnd_t *restrict condition, mtx_t *restrict mutex,
               const struct timespec *restrict until)
{
  static int (*real) (cnd_t *, mtx_t *, const struct timespec *);
  struct timespec at = as_the_kernel_counts (until);
  if (real == NULL)
    real = (int (*) (cnd_t *, mtx_t *, const struct timespec *))dlsym (RTLD_NEXT, "cnd_timedwait");
  return real (condition, mutex, &at);
}
