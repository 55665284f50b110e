/* Preloaded, it simulates a machine that has no thread left.
 * THREADS=N: pthread_create succeeds N times in this process, and then no more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int
pthread_create (pthread_t *thread, const pthread_attr_t *how, void *(*body) (void *), void *data)
{
  static int (*real) (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static atomic_int calls;
  const char *most = getenv ("THREADS");
  if (most != NULL && atomic_fetch_add (&calls, 1) >= atoi (most))
    return EAGAIN;
  if (real == NULL)
    real = (int (*) (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym (
        RTLD_NEXT, "pthread_create");
  return real (thread, how, body, data);
}
