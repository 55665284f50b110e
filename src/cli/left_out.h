/* Built-in jobs that should be in force and are not, as tables and running processes say.
 *
 * Threads: main only. Ownership: the caller frees.
 */
#pragma once
#include "cli/cli.h"

/* A row for each: job, and the process that has left it out; NULL: each does, because its tables
 * are away. Begins and ends a transaction. NULL: ERROR. */
PgRows *left_out_rows (Cli *cli, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* ROW in words, without the job's name. */
char *left_out_words (const Cli *cli, const PgRows *rows, int row);
/* A line for people for each of these rows. */
gboolean left_out_say (Cli *cli, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
