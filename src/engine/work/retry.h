/* Decides about the retry of a failed step: whether the run is tried again, when, and with how many
 * rows; or whether it is blocked, dead, or, if it is a range, given back to its run.
 * The decision follows from the error, the run and the settings in force. Nothing is written here:
 * answer.c writes the decision into the run's row. (src/cli/runs/retry.c is the command `pruned
 * retry`.)
 *
 * Threads: the worker that has the lane. Ownership: retry_decision_clear.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  const char *state;
  int attempts;
  gint64 delay_ms;
  char *error;
  const char *class;     /* of the error: its SQLSTATE, or another name */
  RunProgress *progress; /* NULL: stays, as does */
  json_t *result;
  gboolean blocked, known; /* the run ends blocked; it had already ended so before */
  gboolean by_rows;        /* a row makes a search fail: the next try asks rows by themselves */
  gboolean moved;          /* not written: the run was discarded, or another process has moved it */
  gint64 limit;            /* rows of the next try of a step that took too long; 0: it did not */
} RetryDecision;

void retry_decision_clear (RetryDecision *decision);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RetryDecision, retry_decision_clear)

/* STEP failed because of CAUSE. SQLSTATE: "" if the error is not PostgreSQL's. */
void retry_decide (const Step *step, const char *sqlstate, const GError *cause,
                   RetryDecision *decision);
/* The error's class: its SQLSTATE, or the verdict's name. Static. */
const char *retry_error_class (const char *sqlstate, const GError *cause);
