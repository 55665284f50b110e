/* What people read in place of what machines do: numbers, and the values of states and counters
 * that JSON, messages, tables and metrics have.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include <glib.h>

/* `4,365`. g_free it. */
char *spoken_number (gint64 number);
/* How long SECONDS are, in the largest unit of which there are two: `90 s`, `2 min`, `4 d`. g_free
 * it. */
char *spoken_duration (double seconds);
/* NUMBER in as many decimals, at least one, as show that it is above LIMIT: `22.5`, `20.01`. At
 * most six. g_free it. */
char *spoken_above (double number, double limit);
/* `more to come` of `limit_reached`; a WORD that people know as it is. Static, or WORD. */
const char *spoken_word (const char *word);
