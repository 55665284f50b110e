/* The limits of runs that events start. Each is about one row, so no limit of a run holds it. Their
 * sum is limited: `max_rows` by what all of them change within an hour, `max_share` by what they
 * change within 24 hours. Approved runs are no part of it, and no limit holds them.
 *
 * Invariant: they are read from the rows of runs, so what was rolled back, or came twice, does not
 * count. A run of several steps is counted as a whole (whole.h).
 *
 * Threads: the worker that has the lane. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/brakes/share.h"

/* Whether they are the limits of STEP's run, which changes rows. */
gboolean event_limits_are_of (const Step *step);
/* The arguments that name the row of an event of JOB, as an array literal. g_free it. */
char *event_limits_keys (const Job *job);
/* What may still change, apart from what the run BUT has changed and LEASES has leased; NULL: no
 * run. GONE own rows of such runs have been changed by the open transaction. */
gboolean event_limits_read (Step *step, const char *but, const char *leases, gint64 gone,
                            StepEvents *events, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The setting that ROWS exceed, OWN of them of the job's table; NULL: none. */
const char *event_limits_exceeded (const StepEvents *events, gint64 rows, gint64 own);
/* Adds what was compared to HELD. */
void event_limits_add_measure (const StepEvents *events, json_t *held);
