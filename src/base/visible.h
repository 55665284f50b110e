/* Text of others, as people may see it: it neither breaks a line nor controls a terminal, nor does
 * it change the order in which a line is read.
 *
 * Threads: any. Ownership: the caller frees results with g_free.
 */
#pragma once
#include <glib.h>

/* TEXT on one line. Control characters of ASCII are blanks. Those of Unicode (C1), what changes the
 * direction of what follows (Unicode's Bidi_Control) and separators of lines are written as in
 * JSON:
 * `\u202e`. Bytes that are no UTF-8 are replaced. */
char *visible_line (const char *text);
