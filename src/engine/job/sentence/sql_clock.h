/* What an expression takes from the clock of the server. It is not T, the time of the tick: a plan
 * for another day, a late tick and a retry mean T.
 *
 * Threads: any. Ownership: g_strfreev what is returned.
 */
#pragma once
#include <glib.h>

/* What TEXT has of it, each once and in turn: calls (`now()`), words (`current_date`), and literals
 * that name the clock if they are read as a time (`'today'`). */
char **sql_clock_words (const char *text);
