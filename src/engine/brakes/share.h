/* How many rows of its table the `max_share` of a job lets go.
 *
 * Threads: any. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/job/in_force.h"
#include "engine/step/step.h"

#define LIMIT_NONE G_MAXINT64       /* rows */
#define LIMIT_MOST (LIMIT_NONE - 1) /* it was read, and is off */

/* The share of a table of N rows. */
gint64 share_rows (gint64 n, const JobLimits *set);
/* The same, or LIMIT_NONE: the table is so small that the share does not count. GONE rows have
 * been removed, and are no part of N. */
gint64 share_limit (gint64 n, gint64 gone, const JobLimits *set);
/* A run of no more rows exceeds neither share nor ratio, whatever the table and the usual are. */
gint64 share_free_rows (const JobLimits *set);
/* The rows of the job's table: as PostgreSQL estimates, or *COUNTED by the open transaction. -1:
 * there is no table, or no share of it. */
gboolean share_read_rows (Step *step, gint64 *n, gboolean *counted, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The rows of the job leave its table; if not, they are only changed. */
gboolean share_removes (const Job *job);
