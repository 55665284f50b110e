/* A message that was under way when two processes died is tried once more while nothing else of
 * this process is: only so does a third death tell against it. Meanwhile no other lane is given
 * out, and errands under way are asked to come to their end.
 *
 * Invariant: solitude ends, whatever becomes of the lane that has it.
 * Threads: worker, except for what is said below. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"

/* Waits until LANE is the only one that is handled. FALSE: it is to be given back first, or others
 * take too long. */
gboolean solitude_begin (Lanes *lanes, Lane *lane);
/* Nothing, if the lane has none. */
void solitude_end (Lanes *lanes, Lane *lane);
