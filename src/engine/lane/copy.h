/* Steps that begin before their message has come. An errand need not wait for its message: this
 * process has committed the transaction that publishes it, and the fence of its run asks
 * PostgreSQL. So a lane that has nothing else to do begins at once with a copy of the message. The
 * message itself is then dropped when it comes.
 *
 * Invariant: a lane handles such a copy like its message, but no offset depends on it (it has
 * none), and a message that waits in the lane goes first. If the process dies, the next owner of
 * the lane has the message.
 *
 * Threads: see each function. Ownership: the lane has the copy.
 */
#pragma once
#include "engine/lane/lane.h"

/* The lane of MESSAGE (taken), which is about to be sent, begins with it if it is idle, and if its
 * job's steps are errands. Thread: any. */
void copy_begin (Lanes *lanes, KafkaMessage *message);
/* LANE goes on with MESSAGE (taken) after this step. Thread: the worker that holds LANE. */
void copy_continue (Lanes *lanes, Lane *lane, KafkaMessage *message);
/* LANE has such a message. Thread: the worker that holds it. */
gboolean copy_waits (Lanes *lanes, Lane *lane);
/* The copy that LANE begins with; NULL: none. Thread: the worker that holds it. */
KafkaMessage *copy_take (Lanes *lanes, Lane *lane);
gboolean copy_is (const KafkaMessage *message);
/* The step of the first of LANE's pending messages is committed: STEP of RUN_ID. Thread: the worker
 * that holds it. */
void copy_done (Lane *lane, const char *run_id, int step);
/* MESSAGE is that of a step that LANE has done by a copy. The next one of that step is not: the
 * fence decides about it. Thread: the worker that holds it. */
gboolean copy_is_late (Lane *lane, const KafkaMessage *message);
