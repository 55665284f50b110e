/* The first half of an errand: lease what it will do, commit, and act on other threads. The second
 * half, settle, is a step of its own in batch.c.
 *
 * Invariant: no store is called while a transaction is open.
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/work/answer.h"

/* STEP is claimed in TRANSACTION, which this ends. MESSAGE_AWAY: the errand is under way. */
MessageNext lease_and_act (Service *service, Lane *lane, Transaction *transaction, Step *step);
/* A store must not be called while a transaction is open: fails the step if one is. */
gboolean lease_is_committed (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
