/* The order in which a query returns its rows: without ORDER BY it is none, whatever it looks like.
 *
 * Threads: any. Ownership: g_free a text.
 */
#pragma once
#include "engine/job/job.h"

/* What stands behind ORDER BY of the query TEXT, in none of its brackets; NULL: it has no such
 * clause. */
char *step_order_of (const char *text);

/* Whether the files of JOB whose rows are read in their order say one: page.sql, whose next page
 * begins behind the last row, and event_key.sql, whose keys are those of the events in turn.
 * PRUNED_FATAL names the file. */
gboolean step_order_is_said (const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
