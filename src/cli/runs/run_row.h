/* A run as a row of output: the columns of `runs`, from the table or the archive.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* Shows the run in row 0 of ROWS: its columns, with its result in words for people. */
void run_row_show (Output *out, const PgRows *rows);

/* The run in row 0 of ROWS has ended, and did what it was to do: it is not blocked, and not all of
 * its rows have failed. */
gboolean run_row_ended_well (const PgRows *rows);

/* The run's row, or no row. AT_US: its T, if known, so that only one day of the archive is read;
 * else -1. */
PgRows *run_row_find (Pg *pg, const char *run_id, gint64 at_us, GError **error);

/* The id of the run whose id begins with PREFIX (at least 4 digits), if it is no whole id. NULL:
 * there is none, there are several (*CODE is CODE_USAGE), or PostgreSQL failed. g_free it. */
char *run_row_complete (Pg *pg, const char *prefix, ExitCode *code, GError **error);

/* The row of run RUN_ID; NULL: it is not a run id, there is no such run, or PostgreSQL failed
 * (*CODE). */
PgRows *run_row_get (Pg *pg, const char *run_id, ExitCode *code, GError **error);
