/* The page of one run (`pruned runs ID`): the run, its parent, steps, tables, children, quarantined
 * items, what operators did to it, and the commands that come next.
 *
 * Threads: main only. Ownership: none.
 */
#pragma once
#include "cli/cli.h"

/* ROWS: the run, as run_row_get found it. With --json a line for the run and one for each part. */
ExitCode run_page_show (Cli *cli, Pg *pg, const PgRows *rows, GError **error);
