/* Looks after the process from a thread of its own. It takes the process's signals, ends it in time
 * when it is asked to end, whatever does not answer, and sees when the poll thread does not come
 * back. What was not committed by then comes again, as after a crash.
 *
 * Invariant: it waits for nobody: no lock of others, no server, no reader of the log.
 * Threads: guard_expect, guard_begin: main, before it starts others (they inherit its mask);
 * guard_beat, guard_rest: poll; the rest: any.
 */
#pragma once
#include <glib.h>

/* SIGHUP waits until the guard is there, instead of ending the process. */
void guard_expect (void);
/* From here on SIGTERM, SIGINT and SIGHUP come to the guard. */
void guard_begin (void);
gboolean guard_asked_to_end (void);
/* What SIGHUP is answered by; NULL: by nothing. It is called on the guard's thread and must not
 * wait. One that came before there was anything is answered at once, on the caller's thread; one
 * that comes while the process ends is not. */
typedef void (*GuardHangup) (gpointer data);
void guard_on_hangup (GuardHangup hangup, gpointer data);
/* The process ends after SECONDS at the latest; with CODE, also if it was to end before that. */
void guard_leave_within (guint seconds, int code);

/* The poll thread is here; it is missed if it does not say so again soon, until it says that it
 * rests. */
void guard_beat (void);
void guard_rest (void);
gboolean guard_is_alive (void);
