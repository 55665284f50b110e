/* The answer to an event of an application: the outcome RowProcessed of the row that it has named,
 * if the run ends without a step that has processed the row. Steps answer for all others.
 *
 * Threads: any. Ownership: borrows everything.
 */
#pragma once
#include "engine/ledger/run.h"

/* Adds it to BUNDLE. Does nothing unless RUN is about such a row, by its job or by what its own row
 * says. The RUN's job can be one of which only the name is known. PREFIX: of topics. HOW names the
 * end (`dead`, `discarded`): a run that is retried can end in several ways, and each is an outcome
 * of its own. */
void named_row_failed (Bundle *bundle, const Run *run, const char *prefix, const char *how,
                       const char *reason);
