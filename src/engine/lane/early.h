/* Steps that a lane knows of before their message has come. This process has committed the
 * transaction that publishes the message, so the step is offered to its lane: by intake and the
 * dispatcher (a run has become ready), by a step whose children are errands, and by the step
 * before. A lane that has nothing else to do takes an offer as pending work without an offset, and
 * handles it like its message. The message is published all the same.
 *
 * What becomes of it: if it is read first, the offer is dropped. If the step was done first, the
 * message is dropped, once. Otherwise it is handled like any other: the fence decides.
 *
 * Invariant: no offset depends on a step whose message has not come, and a message that waits in
 * the lane goes first. If the process dies, the next owner of the lane has the message. A run whose
 * message may have killed a process is not begun by an offer of intake or the dispatcher: that
 * message is read while the lane is fresh (work/suspect.h), and then the lane takes none. A death
 * between the step and the sending of the message is not counted.
 *
 * Threads: see each function. Ownership: the lane has its offers; arguments are borrowed.
 */
#pragma once
#include "engine/lane/lane.h"

struct _Step;

#define EARLY_MOST 4 /* more runs than that are cheaper together, in their lanes */

/* WORK of a run of JOB in SLOT is ready; its message is about to be sent. Its lane, if it is one of
 * this process and has little else to do, takes it. BY_STEP: the run is a child of a step, and it
 * is offered only if it is an errand: each of these has a lane of its own. Else only if it is none.
 * Thread: any. */
void early_offer (Lanes *lanes, const Job *job, guint slot, const Work *work, gboolean by_step);
/* A process died with a message of LANE. It takes no offer until its messages were tried one by
 * one. Thread: the worker that holds LANE. */
void early_refuse (Lanes *lanes, Lane *lane);
/* MESSAGES (of KafkaMessage, each taken) become pending work of LANE, which has none. If there are
 * none, its first offer does. Thread: the worker that holds LANE. */
void early_read (Lanes *lanes, Lane *lane, const GPtrArray *messages);
/* STEP, which is committed, was the first of LANE's pending work. If it continues at once in this
 * lane, and nothing else is pending, LANE goes on with it. Thread: the worker that holds LANE. */
void early_step_done (Lanes *lanes, Lane *lane, const struct _Step *step);
/* LANE has an offer. Thread: the worker that holds it. */
gboolean early_waits (Lanes *lanes, Lane *lane);
