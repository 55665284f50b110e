/* Where all rows are told (`outcomes = all`): RowProcessed of each row that the steps of a
 * transaction have removed, changed, or failed to. The audit of the transaction says which went,
 * whoever took them along and in whichever table; a row that is told as the answer to an event is
 * not told twice. Rows that the audit does not have, and those of tables without a primary key, are
 * not told.
 *
 * Threads: one worker, inside the transaction. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* Adds them to the bundle of STEPS (of Step), once these have done all that they do. A bundle that
 * becomes too large cuts the first step, as rows do that are too wide (weight.h). */
gboolean tell_rows (const GPtrArray *steps, GError **error) G_GNUC_WARN_UNUSED_RESULT;
