/* From work messages to locked runs: the fence by which every step is committed once only.
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
  GPtrArray *runs;         /* of Run: locked, and can be stepped */
  GHashTable *locked;      /* ids of runs that another transaction has locked; the lane keeps their
                              messages for up to a second */
  gboolean paused;         /* their job is paused: call claim_park_paused */
} Claim;

void claim_clear (Claim *claim);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Claim, claim_clear)

/* Begins a transaction with the runs of JOB that WORKS may step. */
gboolean claim_runs (Claim *claim, Service *service, Pg *pg, const Job *job, const GArray *works,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for LANE's job; also fills in `locked`, and sets `locked_since_us` of LANE if there are
 * any. */
gboolean claim_for_lane (Claim *claim, Service *service, Pg *pg, Lane *lane, const GArray *works,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The claimed runs wait until their job is resumed. */
gboolean claim_park_paused (const Claim *claim, GError **error) G_GNUC_WARN_UNUSED_RESULT;
