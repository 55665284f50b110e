/* Zones in an SQL text. PostgreSQL reads `'UTC+3'`, and `'+03:00'` too, by the rules of POSIX:
 * there it lies west of Greenwich, three hours on the other side of what people mean.
 *
 * Threads: any. Ownership: g_free a text.
 */
#pragma once
#include <glib.h>

/* What is wrong with the zone that WORD of TEXT, which ends at P, gives: behind AT TIME ZONE, as
 * the first argument of timezone(), or as one of date_trunc() or make_timestamptz(). NULL: nothing,
 * or it gives none that is a literal. */
char *step_zone_wrong (const char *text, const char *word, const char *p);
/* What is wrong with a time of TEXT that is a literal with such a zone in it, '2026-01-01 12:00
 * UTC+3'; *ZONE: that (g_free it). NULL: there is none. */
char *step_zone_wrong_in_time (const char *text, char **zone);
