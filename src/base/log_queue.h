/* The way of finished lines to stderr. Once a daemon has begun its queue, whoever logs leaves the
 * line and goes on: a reader that stalls holds the writer's thread only. A file has no reader: it
 * is written at once, so that a crash loses nothing.
 *
 * Invariant: what waits is bounded; lines that find no room are counted, and the count is written
 * when there is room again. Threads: any.
 */
#pragma once
#include <glib.h>

/* From here on lines wait for a thread that writes them, unless stderr is a file. Once is enough.
 */
void log_queue_begin (void);
/* Whole lines (or what drives a terminal). */
void log_queue_put (const char *bytes, gsize len);
/* Waits a moment for what was put before: only as long as a reader reads, and WITHIN_MS at most. */
void log_queue_drain (guint within_ms);
/* How many lines were dropped since the process began. */
guint64 log_queue_dropped (void);
