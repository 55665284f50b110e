/* How many rows a run may change after its first page. The run's row keeps what was read when it
 * began (`rows_limit`). That can come from other settings: from before a reload, or from another
 * process; and a migration can have put another table in the place of its own. So this process
 * reads the limits by its settings once for each run, and again when the tables of a sentence have
 * been altered. The lower ones hold.
 *
 * Threads: the worker that has the lane. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/brakes/limits.h"

/* For a run whose count is known, or whose last page has ROWS. */
gboolean bound_find (Step *step, gint64 rows, gint64 *bound, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* LIMITS of the run were read: share and ratio are not read again before it exceeds them. */
void bound_remember (Step *step, RowLimits limits);
/* The same of a run that was counted. */
void bound_note (const Step *step, gint64 limit);
/* Rows of other tables that the run has deleted with its own, with those of this step. */
gint64 bound_below (const Step *step);
