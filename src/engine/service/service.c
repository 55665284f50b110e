#include "engine/service/service.h"

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static GError *failure;

void
service_fail (Service *service, const GError *error)
{
  pthread_mutex_lock (&failure_lock);
  if (failure == NULL)
    failure = g_error_copy (error);
  pthread_mutex_unlock (&failure_lock);
  atomic_store (&service->shared.failed, TRUE);
}

GError *
service_failure (void)
{
  pthread_mutex_lock (&failure_lock);
  GError *cause = g_steal_pointer (&failure);
  pthread_mutex_unlock (&failure_lock);
  return cause;
}
