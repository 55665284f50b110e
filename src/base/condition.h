/* Condition variables whose deadlines are by the monotonic clock, so that a clock that jumps
 * neither ends nor prolongs a wait.
 *
 * Threads: any. Ownership: pthread_cond_destroy.
 */
#pragma once
#include <glib.h>
#include <pthread.h>

void condition_init (pthread_cond_t *condition);
/* Waits until DEADLINE_US (clock_monotonic_us). FALSE: it has passed. */
gboolean condition_wait (pthread_cond_t *condition, pthread_mutex_t *mutex, gint64 deadline_us);
