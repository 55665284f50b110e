/* A step's messages are sent while the next steps of its lane run already. The lane's offset moves
 * past a message when the bundles of its step, and of all before it, are acknowledged
 * (docs/rules.md, invariant 4).
 *
 * Threads: the worker that holds the lane.
 * Ownership: the lane owns the bundle from sending_begin on.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Sends BUNDLE until every message is acknowledged, or the lane must be given up: then the bundle
 * stays in the outbox. The caller owns it. */
void sending_finish (Service *service, Lane *lane, Bundle *bundle);
/* Begins to send BUNDLE. If very much of the lane is under way already, it first waits for the
 * acknowledgement of the oldest. The lane is woken when the oldest is acknowledged. */
void sending_begin (Service *service, Lane *lane, Bundle *bundle);
/* Records what is acknowledged, up to the first that is not. */
void sending_note_if_done (Service *service, Lane *lane);
/* Stores the lane's offset behind the handled messages, unless some of its messages are still
 * being sent. */
void sending_note_handled (Service *service, Lane *lane);
