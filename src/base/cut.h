/* Long texts, cut.
 *
 * Threads: any. Ownership: the caller frees results with g_free.
 */
#pragma once
#include <glib.h>

/* The most bytes of an error that are kept: it goes into rows, log lines and messages of Kafka,
 * which takes 1 MB by default. Who raises it in a trigger can make it as long as they like. */
#define CUT_ERROR_BYTES 10000

/* TEXT, if it has at most MOST bytes; else its first ones, whole characters, and how many bytes are
 * missing: `abc... (2000 bytes more)`. */
char *cut_text (const char *text, gsize most);
