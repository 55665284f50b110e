/* Decimal digits of integers. These are in every log line, message and array: printf would take a
 * tenth of the CPU of a small step.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include <glib.h>

/* Appends VALUE, as `%ld` writes it. */
void digits_append (GString *out, gint64 value);
/* Writes the last WIDTH digits of VALUE to AT, with zeros in front. Returns the place behind them;
 * nothing ends the text there. */
char *digits_put (char *at, guint width, guint value);
