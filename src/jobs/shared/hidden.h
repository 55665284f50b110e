/* What row-level security hides from our role would go by a key, or keep pointing at what is gone,
 * and nobody would see it: so nothing goes. This is asked before anything is done; `see_all.sql` in
 * each step says the same of each table that it meets.
 *
 * Threads: a worker. Ownership: none.
 */
#pragma once
#include "pruned/job.h"

/* FALSE with an error that names the tables, and the run waits until they can be seen: one of
 * RELATIONS (array literal), or of what keys tie to them, but for what lies behind STAYS (array
 * literal). */
gboolean hidden_refuse (Step *step, const char *relations, const char *stays, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same for the column `tab` of ROWS. */
gboolean hidden_refuse_rows (Step *step, const PgRows *rows, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
