#include "base/log_queue.h"
#include "base/log_format.h"
#include "base/thread.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES (1024 * 1024)
#define AGAIN_MS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
/* Under the lock: */
static GQueue waiting; /* of GBytes */
static gsize waiting_bytes;
static gboolean writing;
static guint64 unreported; /* dropped lines that are not reported yet */
static atomic_bool begun;
static _Atomic guint64 dropped;

/* Waits where stderr is non-blocking. Drops the bytes if stderr fails: there is nowhere to report
 * it. */
static void
write_whole (const char *bytes, gsize len)
{
  while (len > 0) {
    gssize written = write (STDERR_FILENO, bytes, len);
    if (written < 0 && errno == EAGAIN) {
      struct pollfd fd = { STDERR_FILENO, POLLOUT, 0 };
      (void)poll (&fd, 1, AGAIN_MS);
      continue;
    }
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    bytes += written;
    len -= written;
  }
}

static gboolean
is_file (void)
{
  struct stat status;
  return fstat (STDERR_FILENO, &status) == 0 && S_ISREG (status.st_mode);
}

/* Waits for the next line. LOST: how many lines were dropped and should be reported behind it. */
static GBytes *
take (guint64 *lost)
{
  pthread_mutex_lock (&lock);
  writing = FALSE;
  if (waiting.length == 0)
    pthread_cond_broadcast (&emptied);
  while (waiting.length == 0)
    pthread_cond_wait (&filled, &lock);
  GBytes *line = g_queue_pop_head (&waiting);
  waiting_bytes -= g_bytes_get_size (line);
  writing = TRUE;
  *lost = waiting.length == 0 ? unreported : 0; /* reported once the queue is empty */
  unreported -= *lost;
  pthread_mutex_unlock (&lock);
  return line;
}

static void
report (guint64 lost)
{
  g_autofree char *n = g_strdup_printf ("%" G_GUINT64_FORMAT, lost);
  g_autoptr (json_t) fields = json_pack ("{s:s}", "lines", n);
  g_autofree char *line
      = log_format (LOG_WARNING, "Log lines were dropped: stderr was not read in time", fields);
  write_whole (line, strlen (line));
}

static void *
write_main (void *data)
{
  pthread_setname_np (pthread_self (), "log");
  for (;;) {
    guint64 lost;
    gsize len;
    GBytes *line = take (&lost);
    const char *bytes = g_bytes_get_data (line, &len);
    write_whole (bytes, len);
    g_bytes_unref (line);
    if (lost > 0 && log_enabled (LOG_WARNING))
      report (lost);
  }
  return NULL;
}

void
log_queue_begin (void)
{
  pthread_t thread;
  if (atomic_exchange (&begun, TRUE))
    return;
  if (thread_start (&thread, write_main, NULL, NULL))
    pthread_detach (thread);
  else
    atomic_store (&begun, FALSE);
}

static guint
count_lines (const char *bytes, gsize len)
{
  guint n = 0;
  for (gsize i = 0; i < len; i++)
    n += bytes[i] == '\n';
  return n;
}

void
log_queue_put (const char *bytes, gsize len)
{
  if (!atomic_load (&begun) || is_file ()) {
    write_whole (bytes, len);
    return;
  }
  pthread_mutex_lock (&lock);
  if (waiting_bytes + len <= MOST_BYTES) {
    g_queue_push_tail (&waiting, g_bytes_new (bytes, len));
    waiting_bytes += len;
    pthread_cond_signal (&filled);
  } else {
    guint n = count_lines (bytes, len);
    unreported += n;
    atomic_fetch_add (&dropped, n);
  }
  pthread_mutex_unlock (&lock);
}

void
log_queue_drain (guint within_ms)
{
  struct timespec until;
  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_sec += within_ms / 1000;
  until.tv_nsec += within_ms % 1000 * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock (&lock);
  while ((waiting.length > 0 || writing)
         && pthread_cond_clockwait (&emptied, &lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
    ;
  pthread_mutex_unlock (&lock);
}

guint64
log_queue_dropped (void)
{
  return atomic_load (&dropped);
}
