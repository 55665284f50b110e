/* The number of messages on the dead topic without a verdict.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/offsets.h"

/* OFFSETS: of any topics; only those of the dead topic are used. -1: not known, because PG is NULL
 * (the verdicts are in PostgreSQL), or a partition could not be read; or, with ERROR set,
 * PostgreSQL failed. */
gint64 dead_letters_waiting (Cli *cli, Pg *pg, const GArray *offsets, GError **error);
