/* Which texts are values of a type, for those that PostgreSQL is to read (`"17"` of a bigint): the
 * forms in which it writes the type, and some more. It reads others, too (`now` or `11/21/2026` of
 * a date, `0x11` of a bigint), which are refused here; and it may refuse what is accepted here.
 * Blanks around a text are removed before.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

gboolean argument_text_is_whole (const char *text, gint64 least, gint64 most);
gboolean argument_text_is_number (const char *text);
gboolean argument_text_is_truth (const char *text);
/* A day of the calendar as `2026-11-21`, and perhaps a time behind it; of any year. */
gboolean argument_text_is_time (const char *text);
gboolean argument_text_is_uuid (const char *text);
