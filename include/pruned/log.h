/* Levels of log lines.
 *
 * Threads: any.
 */
#pragma once

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR } LogLevel;
