/* Letters of applications' own topics. They are not sent to these topics again, where others read
 * them and we may not write: what they ask for is placed in the ledger, as intake does.
 *
 * Invariant: a letter is the same run, however often it is retried: it keeps its topic, partition
 * and offset, of which the run's id may be made.
 *
 * Threads: main only. Ownership: of the arguments: none.
 */
#pragma once
#include "cli/dead/letter.h"

/* Places what LETTERS (of one or more such topics) ask for. WHY has a place for each letter: NULL
 * if it is placed, or was before; else the reason, g_free it. */
ExitCode letters_start (Cli *cli, Pg *pg, char **settings, const GPtrArray *letters, char **why,
                        GError **error);
