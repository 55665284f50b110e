#include "base/thread.h"

gboolean
thread_start (pthread_t *thread, void *(*body) (void *), gpointer data, GError **error)
{
  int failed = pthread_create (thread, NULL, body, data);
  if (failed != 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
                 "cannot start a thread: %s; raise the limit of threads (TasksMax of the service, "
                 "ulimit -u, pids.max)",
                 g_strerror (failed));
  return failed == 0;
}
