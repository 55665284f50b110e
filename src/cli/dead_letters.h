/* How many messages of the dead topic nobody has decided about.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/offsets.h"

/* OFFSETS: of any topics, those of the dead topic count. PG NULL: none of them can be told from
 * those with a verdict, nor can a partition that was not read. -1: not known; with ERROR set:
 * PostgreSQL's. */
gint64 dead_letters_waiting (Cli *cli, Pg *pg, const GArray *offsets, GError **error);
