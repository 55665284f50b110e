#include "web/page/act_run.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SAID (64 * 1024)
#define LOOK_US (5 * 1000)

typedef struct {
  GPid pid;
  int fds[2];
} Running;

void
act_done_clear (ActDone *done)
{
  g_clear_pointer (&done->said, g_free);
}

/* Reads what there is. FALSE: the other end is closed. */
static gboolean
take (int fd, GString *said)
{
  char some[4096];
  const ssize_t n = read (fd, some, sizeof some);
  if (n > 0 && said->len < MOST_SAID)
    g_string_append_len (said, some, n);
  return n > 0 || (n < 0 && errno == EINTR);
}

/* Until both ends are closed, or UNTIL_US. FALSE: time is up. */
static gboolean
read_both (Running *running, gint64 until_us, GString *said)
{
  struct pollfd fds[2] = { { running->fds[0], POLLIN, 0 }, { running->fds[1], POLLIN, 0 } };
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const gint64 left_us = until_us - clock_monotonic_us ();
    if (left_us <= 0)
      return FALSE;
    (void)poll (fds, 2, (int)(left_us / 1000) + 1);
    for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
      if (fds[i].fd >= 0 && fds[i].revents != 0 && !take (fds[i].fd, said))
        fds[i].fd = -1; /* poll passes it over */
  }
  return TRUE;
}

static gboolean
has_ended (GPid pid, int *status, int options)
{
  pid_t found;
  while ((found = waitpid (pid, status, options)) < 0 && errno == EINTR)
    ;
  return found == pid;
}

/* Nobody waits any more for what the command says, but it must be able to say it, and to end. */
static void *
see_off (void *data)
{
  Running *running = data;
  int status;
  g_autoptr (GString) said = g_string_new (NULL);
  (void)read_both (running, G_MAXINT64 / 2, said);
  (void)has_ended (running->pid, &status, 0);
  close (running->fds[0]);
  close (running->fds[1]);
  g_free (running);
  return NULL;
}

static void
leave (const Running *running)
{
  pthread_t thread;
  Running *own = g_new (Running, 1);
  *own = *running;
  if (pthread_create (&thread, NULL, see_off, own) == 0)
    pthread_detach (thread);
  else
    g_free (own);
}

static gboolean
start (char **argv, const char *variable, const char *value, Running *running, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), variable, value, TRUE);
  return g_spawn_async_with_pipes (NULL, argv, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                   &running->pid, NULL, &running->fds[0], &running->fds[1], &cause)
         || error_set (error, PRUNED_OUTAGE, "the command cannot be started: %s", cause->message);
}

gboolean
act_run (char **argv, const char *variable, const char *value, int most_ms, ActDone *done,
         GError **error)
{
  int status = 0;
  Running running;
  g_autoptr (GString) said = g_string_new (NULL);
  const gint64 until_us = clock_monotonic_us () + (gint64)most_ms * 1000;
  if (!start (argv, variable, value, &running, error))
    return FALSE;
  gboolean ended = read_both (&running, until_us, said);
  while (ended && !has_ended (running.pid, &status, WNOHANG)) {
    ended = clock_monotonic_us () < until_us;
    g_usleep (LOOK_US);
  }
  *done = (ActDone){ ended, ended && WIFEXITED (status) ? WEXITSTATUS (status) : -1,
                     g_utf8_make_valid (said->str, (gssize)said->len) };
  if (!ended) {
    leave (&running);
    return TRUE;
  }
  close (running.fds[0]);
  close (running.fds[1]);
  return TRUE;
}
