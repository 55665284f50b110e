/* The dispatcher's alarm clock: it sleeps until something is due, or until somebody says that
 * something will be.
 *
 * Threads: wake_sleep is the dispatcher's; the others: any. Ownership: whoever made it frees it,
 * after the dispatcher has ended.
 */
#pragma once
#include <glib.h>

typedef struct _Wake Wake;

Wake *wake_new (void);
void wake_free (Wake *wake); /* NULL: nothing */
/* Something will be due in DELAY_MS. NULL: nobody sleeps. */
void wake_in (Wake *wake, gint64 delay_ms);
/* Sleeps until woken or until WAIT_US are over. FALSE: it is time to stop. */
gboolean wake_sleep (Wake *wake, gint64 wait_us);
/* Ends a sleep, and all that would follow. */
void wake_stop (Wake *wake);
