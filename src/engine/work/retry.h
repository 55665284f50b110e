/* What becomes of a run whose step failed: tried again and when, with fewer rows, blocked, dead;
 * for a range: given back to its run. It is decided from the error alone; answer.c writes it.
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
  const char *class;       /* of the error: its SQLSTATE, or another name */
  json_t *cursor, *result; /* NULL: stay */
  gboolean blocked, known; /* it ends blocked; it did so at an earlier try, too */
  gint64 limit;            /* rows of the next try of a step that took too long; 0: it did not */
} RetryDecision;

void retry_decision_clear (RetryDecision *decision);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RetryDecision, retry_decision_clear)

/* The step failed by CAUSE; SQLSTATE: "" if it was not PostgreSQL's. */
void retry_decide (const Step *step, const char *sqlstate, const GError *cause,
                   RetryDecision *decision);
/* The error's class: its SQLSTATE, or the verdict's name. Static. */
const char *retry_error_class (const char *sqlstate, const GError *cause);
