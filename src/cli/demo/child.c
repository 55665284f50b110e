#include "cli/demo/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_US (10 * 1000)
#define TAIL_BYTES 1500

struct _Child {
  pid_t pid; /* 0: has ended */
  int status;
};

/* Runs between fork and exec. A session of its own, because the demo handles the terminal's Ctrl-C;
 * a death signal, so that a child ends with its parent. A change of the user clears the death
 * signal, so it is set last. */
static void
prepare (gpointer data)
{
  const struct passwd *user = data;
  setsid ();
  if (user != NULL
      && (setgroups (0, NULL) != 0 || setgid (user->pw_gid) != 0 || setuid (user->pw_uid) != 0))
    _exit (126);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

Child *
child_new (const char *const *argv, const char *folder, const char *log, const char *name,
           GError **error)
{
  const struct passwd *user = name != NULL && geteuid () == 0 ? getpwnam (name) : NULL;
  int fd = log != NULL ? open (log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  GPid pid;
  if (log != NULL && fd < 0)
    return error_null (error, PRUNED_FATAL, "%s: %s", log, g_strerror (errno));
  gboolean started = g_spawn_async_with_fds (folder, (char **)argv, NULL,
                                             G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH,
                                             prepare, (gpointer)user, &pid, -1, fd, fd, error);
  if (log != NULL)
    close (fd);
  if (!started)
    return NULL;
  Child *child = g_new0 (Child, 1);
  child->pid = pid;
  return child;
}

gboolean
child_is_running (Child *child)
{
  if (child->pid != 0 && waitpid (child->pid, &child->status, WNOHANG) == child->pid)
    child->pid = 0;
  return child->pid != 0;
}

static void
reap (Child *child)
{
  while (child->pid != 0)
    if (waitpid (child->pid, &child->status, 0) == child->pid || errno != EINTR)
      child->pid = 0;
}

void
child_stop (Child *child, int signal_number, int timeout_ms)
{
  gint64 deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  if (!child_is_running (child))
    return;
  kill (child->pid, signal_number);
  while (child_is_running (child) && clock_monotonic_us () < deadline_us)
    g_usleep (LOOK_US);
  if (child->pid != 0)
    kill (child->pid, SIGKILL);
  reap (child);
}

void
child_free (Child *child)
{
  if (child == NULL)
    return;
  child_stop (child, SIGKILL, 0);
  g_free (child);
}

static char *
tail_of (const char *log)
{
  g_autofree char *text = NULL;
  gsize len;
  if (log == NULL || !g_file_get_contents (log, &text, &len, NULL))
    return g_strdup ("");
  return g_strdup (text + (len > TAIL_BYTES ? len - TAIL_BYTES : 0));
}

gboolean
child_run (const char *const *argv, const char *folder, const char *log, const char *name,
           GError **error)
{
  g_autoptr (Child) child = child_new (argv, folder, log, name, error);
  if (child == NULL)
    return FALSE;
  reap (child);
  if (WIFEXITED (child->status) && WEXITSTATUS (child->status) == 0)
    return TRUE;
  g_autofree char *tail = tail_of (log);
  return error_fatal (error, "%s failed: %s", argv[0], tail);
}
