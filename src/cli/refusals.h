/* The jobs that are refused: by this command, which reads what is written, and by the running
 * processes, which also compare it with the catalogue and note what they refuse.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"

/* What processes refuse: rows of job, place, reason and process. In a transaction of its own. */
PgRows *refusals_look (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The row about JOB; -1: none. */
int refusals_row (const PgRows *refusals, const char *job);
/* `PLACE: why` of a row. g_free it. */
char *refusals_text (const PgRows *refusals, int row);
/* The same. New reference. */
json_t *refusals_reason (const PgRows *refusals, int row);

/* Logs all that is refused, once each. CODE_CONFIG and ERROR if there is any. REFUSALS can be
 * NULL. */
ExitCode refusals_end (Cli *cli, const PgRows *refusals, GError **error);
