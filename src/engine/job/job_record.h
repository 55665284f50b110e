/* The key `record` of a job: columns that the audit has although their names look like secrets.
 *
 * Threads: any. Ownership: see the function.
 */
#pragma once
#include "base/error.h"

/* The columns that ITEMS name, `COLUMN` of TABLE or `TABLE.COLUMN`, as a JSON list of
 * [table, column]. g_free it. NULL: PRUNED_FATAL says which item is no name. */
char *job_record_read (const char *table, char *const *items, GError **error);
