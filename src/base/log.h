/* Structured log lines on stderr, as text or as one JSON object per line: `time, level, message`,
 * then the fields at the same level (docs/reference/log-messages.md). Only the engine and the
 * command line log errors; code below them returns a GError.
 *
 * Threads: any; a line is never split over two write(2) calls. In a daemon, logging never waits for
 * the reader of stderr (log_queue.h).
 */
#pragma once
#include "base/json.h"
#include "base/log_format.h"
#include "pruned/log.h"

/* LEVEL is the lowest level that is written. JSON: one object per line; else text, coloured on a
 * terminal.
 */
void log_setup (LogLevel level, gboolean json);

/* Logs a line. Fields are pairs of name and text value, NULL-terminated; a pair with a NULL value
 * is left out.
 */
void log_line (LogLevel level, const char *message, ...) G_GNUC_NULL_TERMINATED;

/* The same with the fields as an object (can be NULL); numbers stay numbers. FIELDS is borrowed. */
void log_fields (LogLevel level, const char *message, const json_t *fields);

/* Until log_release, this thread's lines are collected and written together. For hundreds of lines
 * in a row; hold only briefly. */
void log_hold (void);
void log_release (void);

#define log_debug(...) log_line (LOG_DEBUG, __VA_ARGS__, NULL)
#define log_info(...) log_line (LOG_INFO, __VA_ARGS__, NULL)
#define log_warning(...) log_line (LOG_WARNING, __VA_ARGS__, NULL)
#define log_error(...) log_line (LOG_ERROR, __VA_ARGS__, NULL)

/* Writes TEXT as the terminal's last line; each call overwrites it, and log lines go above it.
 * NULL: the line stays as it is and is not overwritten any more. For one thread only. */
void log_live (const char *text);

/* A rate-limited warning: at most one line every INTERVAL_S for the same KEY. Keys are kept as long
 * as the process runs: a word or the name of a job, of which there are few. The line reports how
 * many were held back since the last one. */
void log_warning_every (guint interval_s, const char *key, const char *message, const char *detail);
