/* Suspects: messages that may have killed a process. They are those of the batches of the first two
 * seconds after an assignment, and those behind a message that was tried alone. If none of a batch
 * was under way when a process died, the whole batch is counted in PostgreSQL as one and handled
 * like any other. Otherwise its messages are tried one by one; each is counted before its try, and
 * its count is removed at any orderly end. A message that was under way at three deaths within 72
 * hours is not tried again (docs/rules.md).
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Once per assignment: forgets the counts below its first message (below the partition's end, if
 * there is no message). FALSE: PostgreSQL is away. */
gboolean suspect_forget (Pg *pg, Lane *lane);
/* Before the front of lane->worker.pending is handled, which is suspect. TRUE: it is counted;
 * handle one message if lane->suspects.one_by_one, else the batch; then call suspect_end. FALSE:
 * handle nothing; *NEXT says what the lane does: the message was buried, the lane holds, or it
 * tries again with lane->suspects.one_by_one set. */
gboolean suspect_begin (Service *service, Pg *pg, Lane *lane, LaneNext *next);
/* After it was handled with NEXT: removes the count. Returns what the lane does next. */
LaneNext suspect_end (Service *service, Pg *pg, Lane *lane, LaneNext next);
