/* A step's messages are sent while the next step of its lane runs already. The lane's offset moves
 * when all of them are acknowledged (docs/rules.md, invariant 4). At most one bundle of a lane is
 * being sent.
 *
 * Threads: the worker that holds the lane. Ownership: the lane owns the bundle from sending_begin
 * on.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Waits until the bundle before is acknowledged, then begins to send BUNDLE. The lane is woken
 * when all its messages are acknowledged. */
void sending_begin (Service *service, Lane *lane, Bundle *bundle);
/* Ends what is being sent, if all of it is acknowledged. The lane must have something that is
 * being sent. */
void sending_note_if_done (Service *service, Lane *lane);
/* Stores the lane's offset behind the handled messages, unless some of its messages are still
 * being sent. */
void sending_note_handled (Service *service, Lane *lane);
