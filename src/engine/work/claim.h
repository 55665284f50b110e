/* From work messages to locked runs: the fence by which every step is committed once only.
 *
 * Threads: the worker that has the lane. Ownership: claim_clear, after the transaction has ended.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/ledger/run.h"
#include "engine/outbox/publish.h"
#include "engine/service/service.h"

typedef struct {
  Transaction transaction; /* open; the caller ends it, also after an error */
  GPtrArray *runs;         /* of Run: locked, and can be stepped */
  GHashTable *locked;      /* ids of runs that another transaction has locked; the lane keeps their
                              messages for up to a second */
  guint waits;      /* runs that wait instead, unpublished and uncharged: ahead of their time,
                       their job is paused, off or removed, everything is stopped, quiet hours,
                       a threshold of [throttle], clocks that disagree, or the version that they
                       began with is not here. Their rows say why */
  gboolean settles; /* no step begins: an errand, or what killed a process, is settled */
} Claim;

void claim_clear (Claim *claim);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Claim, claim_clear)

/* Begins a transaction with the runs of JOB that WORKS name, each with the version of the job that
 * it began with. LANE: its worker steps them, or settles its errand; also fills in `locked`, and
 * sets `locked_since_us` of LANE if there are any. NULL: what killed a process is settled, also in
 * a pause. */
gboolean claim_runs (Claim *claim, Service *service, Pg *pg, const Job *job, Lane *lane,
                     const GArray *works, GError **error) G_GNUC_WARN_UNUSED_RESULT;
