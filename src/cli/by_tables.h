/* Without `[run] jobs`: the built-in jobs whose tables the database has are in force.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* Takes out the jobs that need a table which is not there, and those that start one of them. Says
 * in cli->absent which, and why. A database that `pruned migrate` has not seen is not judged: all
 * jobs stay. FALSE: the database does not answer. */
gboolean by_tables_take (Cli *cli, GError **error) G_GNUC_WARN_UNUSED_RESULT;
