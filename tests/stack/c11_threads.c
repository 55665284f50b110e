/* C11 threads by way of pthreads, linked into sanitizer builds only. librdkafka calls thrd_create
 * and related functions, but ThreadSanitizer only watches pthreads: it would crash in a thread
 * whose creation it has not seen, and report accesses that librdkafka's locks order as data races.
 *
 * glibc's mtx_t and cnd_t have the layout of the pthread types; the assertions check that.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

_Static_assert (sizeof (mtx_t) == sizeof (pthread_mutex_t), "mtx_t is a pthread_mutex_t");
_Static_assert (sizeof (cnd_t) == sizeof (pthread_cond_t), "cnd_t is a pthread_cond_t");

static int
answer (int code)
{
  switch (code) {
  case 0:
    return thrd_success;
  case EBUSY:
    return thrd_busy;
  case ETIMEDOUT:
    return thrd_timedout;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}

typedef struct {
  thrd_start_t function;
  void *argument;
} Start;

static void *
run (void *data)
{
  Start start = *(Start *)data;
  free (data);
  return (void *)(long)start.function (start.argument);
}

int
thrd_create (thrd_t *thread, thrd_start_t function, void *argument)
{
  Start *start = malloc (sizeof *start);
  if (start == NULL)
    return thrd_nomem;
  *start = (Start){ function, argument };
  int code = pthread_create (thread, NULL, run, start);
  if (code != 0)
    free (start);
  return answer (code);
}

int
thrd_join (thrd_t thread, int *result)
{
  void *returned = NULL;
  int code = pthread_join (thread, &returned);
  if (result != NULL)
    *result = (int)(long)returned;
  return answer (code);
}

int
thrd_detach (thrd_t thread)
{
  return answer (pthread_detach (thread));
}

int
mtx_init (mtx_t *mutex, int type)
{
  pthread_mutexattr_t how;
  pthread_mutexattr_init (&how);
  pthread_mutexattr_settype (&how,
                             type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  int code = pthread_mutex_init ((pthread_mutex_t *)mutex, &how);
  pthread_mutexattr_destroy (&how);
  return answer (code);
}

void
mtx_destroy (mtx_t *mutex)
{
  pthread_mutex_destroy ((pthread_mutex_t *)mutex);
}

int
mtx_lock (mtx_t *mutex)
{
  return answer (pthread_mutex_lock ((pthread_mutex_t *)mutex));
}

int
mtx_trylock (mtx_t *mutex)
{
  return answer (pthread_mutex_trylock ((pthread_mutex_t *)mutex));
}

int
mtx_unlock (mtx_t *mutex)
{
  return answer (pthread_mutex_unlock ((pthread_mutex_t *)mutex));
}

int
cnd_init (cnd_t *condition)
{
  return answer (pthread_cond_init ((pthread_cond_t *)condition, NULL));
}

void
cnd_destroy (cnd_t *condition)
{
  pthread_cond_destroy ((pthread_cond_t *)condition);
}

int
cnd_signal (cnd_t *condition)
{
  return answer (pthread_cond_signal ((pthread_cond_t *)condition));
}

int
cnd_broadcast (cnd_t *condition)
{
  return answer (pthread_cond_broadcast ((pthread_cond_t *)condition));
}

int
cnd_wait (cnd_t *condition, mtx_t *mutex)
{
  return answer (pthread_cond_wait ((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int
cnd_timedwait (cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
  return answer (
      pthread_cond_timedwait ((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until));
}
