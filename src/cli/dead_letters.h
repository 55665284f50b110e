/* How many messages of the dead topic nobody has decided about.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/offsets.h"

/* OFFSETS: of any topics, those of the dead topic count. PG NULL: all messages count, verdicts are not known. -1: PostgreSQL's
 * error. */
gint64 dead_letters_waiting (Cli *cli, Pg *pg, const GArray *offsets, GError **error);
