/* A message that was under way when two processes died is tried once more, while this process does
 * nothing else. Only then does a third death count against that message. Meanwhile no other lane
 * is given out, and errands under way are asked to end.
 *
 * Invariant: solitude ends, whatever becomes of the lane that has it.
 * Threads: worker, unless noted otherwise. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"

/* Waits until no other lane is handled. FALSE: give the lane back first, or the others take too
 * long. */
gboolean solitude_begin (Lanes *lanes, Lane *lane);
/* Does nothing if the lane has no solitude. */
void solitude_end (Lanes *lanes, Lane *lane);
/* The lane that has it, if it is ready again. *NEXT_US: when to look again; 0: no such time.
 * With the list's lock. */
Lane *solitude_pop (Lanes *lanes, gboolean intake, gint64 *next_us);
