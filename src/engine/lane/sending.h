/* What a step has to publish is on its way while the next step of its lane runs already; the lane's
 * offset moves when all of it has been acknowledged (docs/rules.md, invariant 4). At most one
 * bundle of a lane is on its way.
 *
 * Threads: the worker that has the lane. Ownership: the lane's, from sending_begin on.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Begins to send BUNDLE, when the one before has been acknowledged. A lane whose messages are all
 * acknowledged is woken. */
void sending_begin (Service *service, Lane *lane, Bundle *bundle);
/* Notes what is on its way if it has been acknowledged. The lane has something on its way. */
void sending_note_if_done (Service *service, Lane *lane);
/* Stores how far the lane's messages are handled, unless something of it is still on its way. */
void sending_note_handled (Service *service, Lane *lane);
