/* Errands of several lanes that share their two transactions: the rows of all are leased in one,
 * and settled in another, and the store is asked for all in between. Each lane is one partition and
 * one run at a time; a worker takes several that are ready.
 *
 * Invariant: each run ends as it would have ended alone. If anything fails, or a run is not as it
 * should be, everything is rolled back and each lane goes alone; nothing is charged.
 *
 * Threads: the worker that has all the lanes. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* LANE, whose message is taken, can go with others. */
gboolean errands_fit (Service *service, Lane *lane);
/* The first half of LANES (of Lane): FALSE: it is rolled back, and nothing was done. *AGAIN: they
 * can go together once one of them has counted the rows of the day, which it does alone. */
gboolean errands_begin (Service *service, Pg *pg, const GPtrArray *lanes, gboolean *again)
    G_GNUC_WARN_UNUSED_RESULT;
/* The second half. The same. */
gboolean errands_end (Service *service, Pg *pg, const GPtrArray *lanes) G_GNUC_WARN_UNUSED_RESULT;
