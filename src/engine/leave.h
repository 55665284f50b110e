/* A process that was asked to end ends in time: a server or a broker that does not answer must not keep it. What it has not
 * committed by then comes again, as after a crash.
 *
 * Threads: any; the watch is a thread of its own.
 */
#pragma once
#include <glib.h>

/* The process ends with CODE after SECONDS at the latest. */
void leave_within (guint seconds, int code);
