/* The table of runs for people: what fits into the terminal, with times and results in words; or
 * the columns that were asked for.
 *
 * Threads: main only. Ownership: none.
 */
#pragma once
#include "cli/cli.h"

/* NAMES: columns of `runs --json`, comma-separated; NULL: WIDE (whole ids, all texts whole), or
 * what fits. FALSE: a usage error, a name is unknown. */
gboolean runs_table_check (const char *names, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void runs_table_show (Output *out, const PgRows *rows, const char *names, gboolean wide);
/* What the run in ROW has done, and how it stands: `180,500 removed; held: ...`. NULL: neither.
 * g_free it. */
char *runs_table_result (const PgRows *rows, int row);
/* What follows the words of a run that is held: that it was not counted to its end. Else "". */
const char *runs_table_estimated (const PgRows *rows, int row);
