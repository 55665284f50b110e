#include "engine/leave.h"

#include "base/log.h"

#include <pthread.h>
#include <unistd.h>

typedef struct {
  guint seconds;
  int code;
} Leave;

static void *
leave_main (void *data)
{
  g_autofree Leave *leave = data;
  sleep (leave->seconds);
  log_warning ("Left without waiting for what does not answer");
  _exit (leave->code);
}

void
leave_within (guint seconds, int code)
{
  pthread_t thread;
  Leave *leave = g_new (Leave, 1);
  *leave = (Leave){ seconds, code };
  if (pthread_create (&thread, NULL, leave_main, leave) == 0)
    pthread_detach (thread);
  else
    g_free (leave);
}
