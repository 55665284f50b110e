/* From work messages to locked runs: the fence that makes every step happen once.
 * Threads: the worker that has the lane. Ownership: as said.
 */
#pragma once
#include "engine/service/service.h"
#include "engine/ledger/run.h"

/* What a work message says; only these three count, the rest of it informs. */
typedef struct {
  char *run_id;
  int step, attempt;
} Work;
GArray *works_new (void); /* of Work, with a clear function */

/* PRUNED_REJECT: not a work message of JOB. */
gboolean work_decode (const KafkaMessage *message, const Job *job, Work *work, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A transaction of a lane: what Kafka has acknowledged leaves the outbox with it. */
typedef struct {
  Service *service;
  Pg *pg;
  GPtrArray *riding;
} Transaction;
gboolean transaction_begin (Transaction *transaction, Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The runs (of Run) that WORKS may step, locked. PAUSED: the job is paused. Right after transaction_begin. */
GPtrArray *transaction_fence (Transaction *transaction, const Job *job, const GArray *works, gboolean *paused,
                              GError **error);
/* After the fence gave out RUNS: a set of the run ids (unref it) that another transaction has locked, whose messages LANE is to keep for a
 * moment; `locked_since_us` of LANE says whether there are some. NULL: an error. */
GHashTable *transaction_find_locked (Transaction *transaction, Lane *lane, const GArray *works, const GPtrArray *runs, GError **error);
/* The first statement when there is no fence. */
gboolean transaction_flush (Transaction *transaction, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean transaction_commit (Transaction *transaction, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void transaction_rollback (Transaction *transaction);
