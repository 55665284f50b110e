/* Preloaded, it blocks every poll of Kafka's consumer while the file STALLED_POLL exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

void *
rd_kafka_consumer_poll (void *rk, int timeout_ms)
{
  static void *(*real) (void *, int);
  const char *file = getenv ("STALLED_POLL");
  if (real == NULL)
    real = (void *(*)(void *, int))dlsym (RTLD_NEXT, "rd_kafka_consumer_poll");
  while (file != NULL && access (file, F_OK) == 0)
    usleep (20000);
  return real (rk, timeout_ms);
}
