/* Structured log lines on stderr, as text or as one JSON object a line: `time, level, message`,
 * then the fields flat beside them (docs/reference/log-messages.md). Written once, by the engine or
 * the command line; everything below returns a GError instead.
 *
 * Threads: any; a line is one write(2), or part of one. In a daemon a line never waits for whoever
 * reads it (log_queue.h).
 */
#pragma once
#include "base/json.h"

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR } LogLevel;

/* LEVEL is the least that is written. JSON: one object a line; else text, coloured on a terminal.
 */
void log_setup (LogLevel level, gboolean json);
gboolean log_level_parse (const char *text, LogLevel *level);
/* Would a line of LEVEL be written? For fields that are dear to make. */
gboolean log_enabled (LogLevel level);

/* Fields as pairs of name and text value, closed by NULL; a pair whose value is NULL is left out.
 */
void log_line (LogLevel level, const char *message, ...) G_GNUC_NULL_TERMINATED;

/* The same with an object of fields (may be NULL); numbers stay numbers. FIELDS is borrowed. */
void log_fields (LogLevel level, const char *message, const json_t *fields);

/* From here on this thread's lines are written some at a time, until log_release. For lines that
 * come by the hundred; short. */
void log_hold (void);
void log_release (void);

#define log_debug(...) log_line (LOG_DEBUG, __VA_ARGS__, NULL)
#define log_info(...) log_line (LOG_INFO, __VA_ARGS__, NULL)
#define log_warning(...) log_line (LOG_WARNING, __VA_ARGS__, NULL)
#define log_error(...) log_line (LOG_ERROR, __VA_ARGS__, NULL)

/* The last line of a terminal, written over at each call; lines of the log go above it. NULL: it
 * stays as it is, and is no longer written over. For one thread. */
void log_live (const char *text);

/* A rate-limited warning: at most one line every INTERVAL_S for the same KEY (a literal). Says how
 * many were held back. */
void log_warning_every (guint interval_s, const char *key, const char *message, const char *detail);
