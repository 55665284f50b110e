/* What a log line looks like, and which levels are written (log_setup). log.h writes lines, through
 * log_queue.h.
 *
 * Threads: any.
 */
#pragma once
#include "base/json.h"
#include "pruned/log.h"

/* The names of the levels, in the order of LogLevel, with BETWEEN between them. */
#define LOG_LEVELS(between) "debug" between "info" between "warning" between "error"

void log_format_setup (LogLevel level, gboolean json);
gboolean log_level_parse (const char *text, LogLevel *level);
/* Whether a line of LEVEL would be written. Ask before computing expensive fields. */
gboolean log_enabled (LogLevel level);

/* The line as it is written, with its line feed. FIELDS is borrowed and can be NULL. g_free it. */
char *log_format (LogLevel level, const char *message, const json_t *fields);
/* TEXT as a JSON string; bytes that are no UTF-8 are replaced. */
json_t *log_format_text (const char *text);
