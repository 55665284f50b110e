/* The alarm clock of a thread that works in rounds: the dispatcher sleeps until something is due,
 * or until a thread reports that something will be due; housekeeping sleeps from round to round.
 *
 * Threads: wake_sleep: the thread that sleeps; the others: any. Ownership: the maker frees it,
 * after that thread has ended.
 */
#pragma once
#include <glib.h>

typedef struct _Wake Wake;

Wake *wake_new (void);
void wake_free (Wake *wake); /* NULL: nothing */
/* Something will be due in DELAY_MS. NULL: does nothing. */
void wake_in (Wake *wake, gint64 delay_ms);
/* Sleeps until the earliest time given to wake_in, at most WAIT_US. FALSE: wake_stop was called. */
gboolean wake_sleep (Wake *wake, gint64 wait_us);
/* Ends this sleep and every later one. */
void wake_stop (Wake *wake);
