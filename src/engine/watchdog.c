#include "engine/watchdog.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/log_queue.h"
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define ROUND_NS (250 * 1000 * 1000)
#define MOST_US                                                                                    \
  G_USEC_PER_SEC /* counted per round at most: if the whole process was stopped, the poll thread   \
                    did not hang */
#define STOP_S 9 /* deadline of a process that was asked to end */
#define SILENT_US (20 * G_USEC_PER_SEC) /* of the poll thread; a revoke takes up to 11 s */
#define STUCK_US (180 * G_USEC_PER_SEC)
#define LAST_WORDS_MS 250
#define EXIT_BUG 70

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static gint64 leave_at_us; /* monotonic; 0: no deadline */
static int leave_code;
static WatchdogHangup on_hangup;
static gpointer hangup_data;
static gboolean hangup_waits; /* one came before there was a handler */
/* Atomic: */
static atomic_int asked, watching, beats, silent;

static void
signals_of (sigset_t *set)
{
  sigemptyset (set);
  sigaddset (set, SIGTERM);
  sigaddset (set, SIGINT);
  sigaddset (set, SIGHUP);
}

static void
leave (int code)
{
  log_warning ("Shutdown deadline reached; exiting");
  log_queue_drain (LAST_WORDS_MS);
  _exit (code);
}

static void
take_hangup (void)
{
  pthread_mutex_lock (&lock);
  gboolean leaving = leave_at_us != 0;
  WatchdogHangup hangup = on_hangup;
  gpointer data = hangup_data;
  hangup_waits = hangup_waits || hangup == NULL;
  pthread_mutex_unlock (&lock);
  if (leaving)
    log_info ("Shutting down; configuration not reloaded");
  else if (hangup != NULL)
    hangup (data);
  else
    log_info ("Starting; the configuration will be reloaded after the start");
}

static void
take_signal (int number)
{
  if (number != SIGHUP) {
    if (!atomic_load (&asked))
      watchdog_leave_within (STOP_S, 0);
    atomic_store (&asked, TRUE);
    return;
  }
  take_hangup ();
}

static void
leave_if_late (gint64 now_us)
{
  pthread_mutex_lock (&lock);
  gboolean late = leave_at_us != 0 && now_us >= leave_at_us;
  int code = leave_code;
  pthread_mutex_unlock (&lock);
  if (late)
    leave (code);
}

/* Measures how long the poll thread has been silent. Time in which the watchdog itself did not run
 * does not count. */
static void
watch (gint64 round_us, gint *seen, gint64 *silent_us)
{
  gint now = atomic_load (&beats);
  gint64 before = *silent_us;
  *silent_us = now != *seen || !atomic_load (&watching) ? 0 : before + MIN (round_us, MOST_US);
  *seen = now;
  atomic_store (&silent, *silent_us >= SILENT_US);
  if (before < SILENT_US && *silent_us >= SILENT_US)
    log_error ("The poll thread hangs: this process is not healthy", "remedy",
               "the process exits within minutes; restart it to recover sooner");
  else if (before >= SILENT_US && *silent_us == 0)
    log_info ("The poll thread runs again");
  if (before < STUCK_US && *silent_us >= STUCK_US)
    watchdog_leave_within (0, EXIT_BUG);
}

static void *
watchdog_main (void *data)
{
  sigset_t set;
  gint seen = 0;
  gint64 silent_us = 0, last = clock_monotonic_us ();
  pthread_setname_np (pthread_self (), "watchdog");
  signals_of (&set);
  for (;;) {
    int number = sigtimedwait (&set, NULL, &(struct timespec){ 0, ROUND_NS });
    if (number > 0)
      take_signal (number);
    gint64 now = clock_monotonic_us ();
    watch (now - last, &seen, &silent_us);
    leave_if_late (now);
    last = now;
  }
  return NULL;
}

void
watchdog_expect (void)
{
  sigset_t set;
  sigemptyset (&set);
  sigaddset (&set, SIGHUP);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
}

gboolean
watchdog_begin (GError **error)
{
  sigset_t set;
  pthread_t thread;
  signals_of (&set);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  signal (SIGPIPE, SIG_IGN);
  if (!thread_start (&thread, watchdog_main, NULL, error))
    return FALSE;
  pthread_detach (thread);
  return TRUE;
}

gboolean
watchdog_asked_to_end (void)
{
  return atomic_load (&asked);
}

void
watchdog_on_hangup (WatchdogHangup hangup, gpointer data)
{
  pthread_mutex_lock (&lock);
  on_hangup = hangup;
  hangup_data = data;
  gboolean waits = hangup_waits && hangup != NULL && leave_at_us == 0;
  if (hangup != NULL)
    hangup_waits = FALSE;
  pthread_mutex_unlock (&lock);
  if (waits)
    hangup (data);
}

void
watchdog_leave_within (guint seconds, int code)
{
  gint64 at = clock_monotonic_us () + seconds * G_USEC_PER_SEC;
  pthread_mutex_lock (&lock);
  leave_at_us = leave_at_us == 0 ? at : MIN (leave_at_us, at);
  leave_code = code;
  pthread_mutex_unlock (&lock);
}

void
watchdog_beat (void)
{
  atomic_store (&watching, TRUE);
  atomic_fetch_add (&beats, 1);
}

void
watchdog_rest (void)
{
  atomic_store (&watching, FALSE);
}

gboolean
watchdog_is_alive (void)
{
  return !atomic_load (&silent);
}
