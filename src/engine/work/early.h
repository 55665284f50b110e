/* A run that has become ready begins before its message comes: its lane, if it is one of this
 * process and has little else to do, gets it at once. The message is sent all the same. Whichever
 * of the two is first passes the fence; the other is stale.
 *
 * Invariant: a run whose message may have killed a process is not begun so: that message is read
 * within the first seconds of an assignment (suspect.h). A death between the step and the sending
 * of the message is not counted.
 *
 * Threads: see each function. Ownership: as said.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/ledger/run.h"
#include "engine/service/service.h"

#define EARLY_MOST 4 /* more runs than that are cheaper together, in their lanes */

/* That step of a run of JOB is ready, and this is committed. Thread: any. */
void early_offer (Service *service, const Job *job, guint slot, const char *run_id, int step,
                  int attempt);
/* Messages were read. Without any, the lane's next step is what was offered. It waits behind a few,
 * and is dropped if there are many: its own is among them soon. Thread: the worker that holds LANE.
 */
void early_take (Service *service, Lane *lane, gboolean fresh);
