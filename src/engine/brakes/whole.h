/* Runs that are counted as a whole before their first row goes, because to be held midway would
 * leave something half done, or because their first page says nothing about the others: those of
 * several steps that an event has started, those of a sentence with `children_portion`, and those
 * whose rows take rows of their own table along.
 *
 * Invariant: the first step of the former two takes all that was counted of an hour and a day. What
 * a run has left of that counts for other runs, and its later steps take only what is above it.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* Whether the run of STEP, which goes on, is to be counted first. FIRST: STEP is the first one with
 * a page. */
gboolean whole_counts_first (const Step *step, gboolean first);
/* Whether the run of STEP goes in portions, so that all that was counted is of its day. */
gboolean whole_is_of_day (const Step *step);
/* What STEP takes of an hour and a day: *ROWS, *OWN of them of the job's table. */
void whole_taken (const Step *step, gint64 *rows, gint64 *own);
