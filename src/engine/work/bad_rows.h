/* Rows of `pruned.runs` that make one of our own statements fail, such as rows that violate the
 * constraint `runs_bounds`. Each such run fails by itself; others do not wait for it.
 *
 * Threads: the worker that has the lane, the dispatcher, housekeeping. Ownership: none is taken.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* CAUSE: the error of a transaction for WORK alone, which is rolled back. If the row is at fault,
 * the run is dead if its row is out of bounds; otherwise it is charged like a failed step. */
LaneNext bad_rows_answer (Service *service, Lane *lane, Pg *pg, const Work *work,
                          const GError *cause);

/* Reads every row of the ledger. Rows that are out of bounds are brought inside and their runs are
 * dead. */
gboolean bad_rows_end_all (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* *ERROR is of a statement about many runs. TRUE: some of them were out of bounds; they are mended,
 * *ERROR is cleared, and the statement can be tried again. */
gboolean bad_rows_end_found (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
