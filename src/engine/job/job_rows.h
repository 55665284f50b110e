/* What the files of a job give back is looked at before anything is made of it: the file may be
 * anybody's. Threads: any. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* ROWS of STATEMENT have these COLUMNS (names with a blank between), and no NULL in them.
 * PRUNED_RETRY names file and column. */
gboolean job_rows_are_whole (const PgStatement *statement, const PgRows *rows, const char *columns,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, NULL or not. */
gboolean job_rows_have (const PgStatement *statement, const PgRows *rows, const char *columns,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
