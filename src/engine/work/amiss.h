/* Runs about which a statement of ours fails, whatever their job has to say: each is an error of
 * its own, and nothing waits for it. Such are rows that the table does not take any more
 * (`runs_bounds`). Threads: the worker that has the lane, the dispatcher. Ownership: none is taken.
 */
#pragma once
#include "engine/work/answer.h"

/* CAUSE: of a transaction that WORK had for itself, which is rolled back. If it is about a row of
 * the ledger, the run is dead if its row is out of bounds, and else charged as for a step that
 * failed. */
Answer amiss_answer (Service *service, Lane *lane, Pg *pg, const Work *work, const GError *cause);

/* Every row of the ledger is looked at; those that are out of bounds are brought inside and are
 * dead. */
gboolean amiss_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* *ERROR is of a statement about many runs: if some of them were out of bounds, it is cleared, and
 * all can be tried again. */
gboolean amiss_mend (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
