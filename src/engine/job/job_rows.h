/* Checks the rows that a job's SQL files return before they are used: the files can come from
 * outside.
 * Threads: any. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* Whether ROWS of STATEMENT have these COLUMNS (names, separated by blanks) without a NULL in
 * them. PRUNED_RETRY names file and column. */
gboolean job_rows_are_whole (const PgStatement *statement, const PgRows *rows, const char *columns,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, but NULL is allowed. */
gboolean job_rows_have (const PgStatement *statement, const PgRows *rows, const char *columns,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
