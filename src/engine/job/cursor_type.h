/* The types that a column of a folder's cursor may have (`cursor` of job.conf), and the value from
 * which the first page is read.
 *
 * Threads: any. Ownership: texts are static.
 */
#pragma once
#include <glib.h>

/* How the order of values of a type can be known without PostgreSQL. */
typedef enum {
  CURSOR_INTEGER, /* of at most 64 bits */
  CURSOR_DECIMAL, /* a number that may have a fraction */
  CURSOR_TIME,
  CURSOR_UUID,
  CURSOR_OTHER /* it cannot: it depends on a collation, or on an operator of the type */
} CursorKind;
CursorKind cursor_type_kind (const char *type);

/* The value of TYPE, as SQL writes it, that no other comes before (DESCENDING: behind). NULL: there
 * is none, or it depends on the type's definition; then the first page must be asked for with NULL.
 */
const char *cursor_type_first (const char *type, gboolean descending);
/* Why a column of the cursor, NAME, cannot be of TYPE in this DIRECTION (`asc`, `desc`, `null`;
 * NULL: `asc`); NULL: it can be. g_free it. */
char *cursor_type_refusal (const char *name, const char *type, const char *direction);
/* The order of the texts A and B of two values, as strcmp has it. FALSE: it is not known. */
gboolean cursor_type_order (CursorKind kind, const char *a, const char *b, int *order);
