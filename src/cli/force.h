/* The settings of jobs in the running processes. A command's own settings can be others.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"

/* The rows of in_force.sql, in a transaction of its own. */
PgRows *force_look (Pg *pg, GError **error);
/* The row of JOB; -1: no process has it. */
int force_row (const PgRows *forces, const Job *job);
/* The settings of JOB in the process that started last; without any process, those of this command
 * line. New reference. */
json_t *force_settings (const PgRows *forces, const Job *job);
/* {job: mode} of the jobs whose mode is not `apply`. New reference. */
json_t *force_modes (Cli *cli, const PgRows *forces);
