/* Preloaded, it shifts the wall clock of a process by SHIFTED_CLOCK_S seconds, as on a machine
 * whose clock is wrong. SHIFTED_CLOCK_FILE: by the number in the first eight bytes of that file;
 * when it changes, the clock jumps. Monotonic clocks and waits are not shifted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

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
