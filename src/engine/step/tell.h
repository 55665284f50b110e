/* Makes the outcomes of rows from the decision about them: early, while PostgreSQL still works on
 * their effects, or once the try stands.
 *
 * Invariant: the bundle of a step has no outcomes of a try that was rolled back.
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/decide.h"

/* Early: the rows WHICH of TRIAL were decided as WHAT and changed; PostgreSQL works on their other
 * effects. */
void tell_ahead (Step *step, const JobWhat *what, Trial *trial, const GArray *which);
/* TRIAL does not stand: takes its outcomes back. */
void tell_nothing (Step *step, Trial *trial);
/* TRIAL stands: makes the missing outcomes. WHICH are all its rows of WHAT. */
void tell_rest (Step *step, const JobWhat *what, const Trial *trial, const GArray *which);
/* Each of these gets its entry in the ledger of erasures (outbox/remember.h), if the job, a
 * sentence, has `remember` and has removed or changed it. */
void tell_erased (Step *step, const JobWhat *what, const Trial *trial, const GArray *which);
/* Adds RowProcessed of each row that STEPS (of Step, at least one) have removed, changed, or failed
 * to, to their bundle, once they have done all that they do. These are the steps of a transaction
 * whose jobs tell all rows (`outcomes = all`); or, of folders and built-in jobs with `remember`,
 * the entries of the rows that are removed. A bundle that becomes too large cuts the first of them,
 * as rows do that are too wide (pace.h).
 *
 * The audit of the transaction says which went,
 * whoever took them along and in whichever table; a row that is told as the answer to an event is
 * not told twice. Rows that the audit does not have, and those of tables without a primary key, are
 * not told. */
gboolean tell_rows (const GPtrArray *steps, GError **error) G_GNUC_WARN_UNUSED_RESULT;
