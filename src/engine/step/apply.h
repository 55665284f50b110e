/* The apply files of one word, for the rows of a try that were decided so. The files up to the one
 * on the job's own table go in one pipeline. It says which rows went: those that it does not return
 * are refused. The others follow in another pipeline, for the rows that it returned. The files
 * before it may take rows of other tables first, as foreign keys want it; a try in which a row was
 * refused after that is torn, and cannot stand. So is one in which a trigger may have changed a row
 * that it kept (a soft delete): nothing has recorded that. One is unsettled, and cannot stand
 * either, if a trigger has changed what decisions depend on: the rows behind the first were asked
 * under other settings.
 *
 * Threads: one worker, inside the step's transaction. Ownership: none.
 */
#pragma once
#include "engine/step/trial_rows.h"

/* ROW_BY_ROW: the files run for each row by itself. */
gboolean apply_word (Step *step, const JobWhat *what, Trial *trial, const Extra *extra,
                     gboolean row_by_row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
