/* Looks after the process from a thread of its own. It takes the process's signals, ends the
 * process by its deadline when it was asked to end, and notices when the poll thread hangs. What
 * was not committed by then is done again, as after a crash.
 *
 * Invariant: it waits for nothing outside: no other module's lock, no server, no reader of the log.
 * Threads: watchdog_expect, watchdog_begin: main, before it starts others (they inherit its mask);
 * watchdog_beat, watchdog_rest: poll; the rest: any.
 */
#pragma once
#include <glib.h>

/* SIGHUP stays pending until watchdog_begin instead of ending the process. */
void watchdog_expect (void);
/* From here on SIGTERM, SIGINT and SIGHUP come to the watchdog. PRUNED_OUTAGE: there is no thread
 * for it. */
gboolean watchdog_begin (GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean watchdog_asked_to_end (void);
/* Sets the handler of SIGHUP; NULL: none. It is called on the watchdog's thread and must not block.
 * A SIGHUP that came before there was a handler is handled at once, on the caller's thread. A
 * SIGHUP while the process ends is ignored. */
typedef void (*WatchdogHangup) (gpointer data);
void watchdog_on_hangup (WatchdogHangup hangup, gpointer data);
/* The process ends with CODE after SECONDS at the latest, or at an earlier deadline that was set
 * before. */
void watchdog_leave_within (guint seconds, int code);

/* The poll thread is alive. If it does not call this again soon, it counts as hanging, until it
 * calls watchdog_rest. */
void watchdog_beat (void);
void watchdog_rest (void);
gboolean watchdog_is_alive (void);
