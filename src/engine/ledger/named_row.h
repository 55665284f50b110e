/* The answer to an event of an application: the outcome RowProcessed of the row that it has named,
 * or that of an erasure (erasure_end.h), if the run ends without a step that has processed the row.
 * Steps answer for all others, and an event that a later one supersedes has that one's answer.
 *
 * Threads: any. Ownership: borrows everything.
 */
#pragma once
#include "engine/ledger/run.h"

/* How the run has ended. */
typedef struct {
  const char *how;  /* names the end (`dead`, `discarded`): a run that is retried can end in several
                       ways, and each is an outcome of its own. NULL: it is the run's only one */
  const char *what; /* `failed`, `kept`, `gone` */
  const char *reason; /* NULL: none */
} NamedEnd;
extern const NamedEnd named_row_withdrawn; /* its event has been cancelled */

/* Adds it to BUNDLE. Does nothing unless RUN is about such a row, by its job or by what its own row
 * says. The RUN's job can be one of which only the name is known. PREFIX: of topics. */
void named_row_tell (Bundle *bundle, const Run *run, const char *prefix, NamedEnd end);
/* The same in the open transaction of PG, for a process that need not have the run's lane. */
gboolean named_row_leave (Pg *pg, const Run *run, const char *prefix, NamedEnd end, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same about the run in a ROW with `run_id`, `step`, `job`, `args`, `named_table`, `context`,
 * `scheduled_at` (microseconds).
 * JOBS need not have its job. */
gboolean named_row_leave_of (Pg *pg, const Jobs *jobs, const PgRows *rows, int row,
                             const char *prefix, NamedEnd end, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
