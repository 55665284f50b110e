/* From work messages to locked runs: the fence that makes every step happen once.
 *
 * Threads: the worker that has the lane. Ownership: claim_clear, after the transaction has ended.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/ledger/run.h"
#include "engine/outbox/transaction.h"
#include "engine/service/service.h"

typedef struct {
  Transaction transaction; /* open; the caller ends it, also after an error */
  GPtrArray *runs;         /* of Run: may be stepped, and are locked */
  GHashTable *locked; /* ids of runs that another transaction has; the lane keeps their messages for
                         a moment */
  gboolean paused;    /* their job is: claim_park_paused */
} Claim;

void claim_clear (Claim *claim);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Claim, claim_clear)

/* Begins a transaction with the runs of JOB that WORKS may step. */
gboolean claim_runs (Claim *claim, Service *service, Pg *pg, const Job *job, const GArray *works,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for LANE's job, with those that are locked elsewhere; `locked_since_us` of LANE says
 * whether there are some. */
gboolean claim_for_lane (Claim *claim, Service *service, Pg *pg, Lane *lane, const GArray *works,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Runs of a paused job wait. */
gboolean claim_park_paused (const Claim *claim, GError **error) G_GNUC_WARN_UNUSED_RESULT;
