/* The types that a column of a folder's cursor may have (`cursor` of job.conf), and the value from
 * which the first page is read.
 *
 * Threads: any. Ownership: texts are static.
 */
#pragma once
#include <glib.h>

/* The value of TYPE, as SQL writes it, that no other comes before (DESCENDING: behind). NULL: there
 * is none, or it depends on the type's definition; then the first page must be asked for with NULL.
 */
const char *cursor_type_first (const char *type, gboolean descending);
/* Why a column of the cursor, NAME, cannot be of TYPE in this DIRECTION (`asc`, `desc`, `null`;
 * NULL: `asc`); NULL: it can be. g_free it. */
char *cursor_type_refusal (const char *name, const char *type, const char *direction);
/* TYPE is a number that may have a fraction. */
gboolean cursor_type_is_decimal (const char *type);
/* TYPE is an integer of at most 64 bits. */
gboolean cursor_type_is_integer (const char *type);
