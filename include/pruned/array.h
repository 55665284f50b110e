/* PostgreSQL's array literals: `{1,2,"a b"}`.
 *
 * Threads: one at a time. Ownership: the caller's, which ends it with array_take.
 */
#pragma once
#include <glib.h>

GString *array_new (void);
void array_add (GString *array, const char *value); /* NULL: NULL; quoted as needed */
void array_add_int (GString *array, gint64 value);
char *array_take (GString *array);             /* closes it; g_free it */
char *array_of_texts (const GPtrArray *texts); /* a whole one; g_free it */
