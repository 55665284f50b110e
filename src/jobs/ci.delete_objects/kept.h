/* Objects that stay ready whatever is done: a trigger or a rule keeps their rows from being leased,
 * or sets the lease back. They count as failed, and the rest of the run passes them over, or it
 * would never end: their ids are in its cursor.
 *
 * Threads: a worker. Ownership: see each function.
 */
#pragma once
#include "jobs/ci.delete_objects/leased.h"

/* The ids that the runs of N steps have, as an array literal; g_free it. */
char *kept_before (Step *const *steps, guint n);
/* The same, with those that these steps have found. */
char *kept_after (Step *const *steps, const Leased *const *leased, guint n);
/* The cursor of the next step. REACHED: where this one ended; NULL: the beginning. New reference;
 * NULL: there is nothing to say. */
json_t *kept_cursor (const Step *step, const Leased *leased, const char *reached);
/* FALSE: the rows that this run, or this step, could not lease are too many to be passed over. */
gboolean kept_check (Step *step, const Leased *leased, GError **error);
