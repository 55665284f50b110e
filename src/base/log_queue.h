/* The queue of finished log lines in front of stderr. Once a daemon has begun the queue, a thread
 * that logs only appends to it: a stalled reader of stderr blocks the writer thread alone. If
 * stderr is a file, lines are written at once, so that a crash loses none.
 *
 * Invariant: the queue is bounded. Lines that find no room are dropped and counted, and the count
 * is logged when the queue has emptied.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

/* Starts the thread that writes queued lines; does nothing more if called again. Lines are not
 * queued while stderr is a file.
 */
void log_queue_begin (void);
/* Queues whole lines, or control sequences for the terminal. */
void log_queue_put (const char *bytes, gsize len);
/* Waits until the queue is written, WITHIN_MS at most. */
void log_queue_drain (guint within_ms);
/* How many lines were dropped since the process started. */
guint64 log_queue_dropped (void);
