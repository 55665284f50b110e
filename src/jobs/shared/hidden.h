/* Rows that row-level security hides from the role would be removed by a key, or keep referring to
 * removed rows, without a record. So nothing is removed then. This is checked before anything is
 * done, so that nothing is done in part; each statement that meets a table of this kind fails.
 *
 * Threads: a worker. Ownership: none.
 */
#pragma once
#include "pruned/job.h"

/* FALSE with an error that names the hidden tables among RELATIONS (array literal) and those that
 * keys tie to them, except behind STAYS (array literal). The run waits until the role can see them.
 * STAMP: the catalogue's. */
gboolean hidden_refuse (Step *step, const char *stamp, const char *relations, const char *stays,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for the column `tab` of ROWS. */
gboolean hidden_refuse_rows (Step *step, const PgRows *rows, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
