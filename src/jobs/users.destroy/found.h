/* Rows of the columns that a look has found (`name`), of one user or of several.
 *
 * Threads: a worker. Ownership: rows are the caller's.
 */
#pragma once
#include "pruned/job.h"

/* Whether the column in ROW of REFERENCES is found, and asked together with others. */
gboolean found_is_quick (const PgRows *found, const PgRows *references, int row);
/* The first LIMIT rows of each such column that refer to USERS (`user_id` of its page), in the
 * order of REFERENCES; *TOTAL: how many. In one round trip. */
GPtrArray *found_read (Step *step, const PgRows *found, const PgRows *references, const char *users,
                       gint64 limit, gint64 *total, GError **error);
