/* The apply files of one word, for the rows that were decided so. The file on the job's own table
 * says which of them went: those that it does not return are refused. The files before it may take
 * rows of other tables first, as foreign keys want it; a try in which a row was refused after that
 * is torn, and cannot stand (trial.c). So is one in which a trigger may have changed a row that it
 * kept (a soft delete): nothing has recorded that. The files behind it see only the rows that went.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/trial_rows.h"

gboolean apply_word (Step *step, const JobWhat *what, Trial *trial, const Extra *extra,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
