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
