/* A run as a row of output: the columns of `runs`, wherever it is (the table, or the archive).
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

extern const Column RUN_COLUMNS[];

/* The run's row, or no row. AT_US: its T, if known, so that one day of the archive is looked at
 * only; else -1. */
PgRows *run_row_find (Pg *pg, const char *run_id, gint64 at_us, GError **error);

/* ID is a run id and there is such a run: its row; NULL: the code is in *CODE. */
PgRows *run_row_get (Pg *pg, const char *run_id, ExitCode *code, GError **error);
