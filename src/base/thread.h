/* Starts threads. A machine may have none left: that is no bug, so it is an error with a remedy.
 *
 * Threads: any. Ownership: the caller joins or detaches the thread.
 */
#pragma once
#include "base/error.h"

#include <pthread.h>

/* Runs BODY (DATA) on *THREAD. PRUNED_OUTAGE: the limit of a user or a control group is reached, or
 * memory. ERROR may be NULL. */
gboolean thread_start (pthread_t *thread, void *(*body) (void *), gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
