/* The types that an argument can be declared with, by PostgreSQL's names, and which JSON values are
 * of them.
 *
 * Threads: any. Ownership: none is taken.
 */
#pragma once
#include "base/json.h"

gboolean argument_type_known (const char *type);
void argument_type_names (GPtrArray *names); /* adds all of them, borrowed */
/* Whether VALUE is of TYPE; any value is of a type that is not known. */
gboolean argument_type_fits (const char *type, const json_t *value);
/* Whether PostgreSQL may read TEXT as TYPE, in the forms in which it writes the type; TRUE of a
 * type that is not known. */
gboolean argument_type_reads (const char *type, const char *text);
/* A job's JSON can hold 1.0 for 1. PostgreSQL refuses 1.0 as a whole number, so the member NAME of
 * OBJECT becomes 1 if TYPE is one of whole numbers. */
void argument_type_make_whole (json_t *object, const char *name, const char *type);
