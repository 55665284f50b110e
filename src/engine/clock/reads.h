/* Tells other processes which events the jobs of this one read (pruned.job_states.reads): so that
 * an event that comes to a process without its job waits for it.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* Of the jobs in force; those that were removed read nothing. */
gboolean reads_tell (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
