/* The settings of jobs in the running processes. A command's own settings can differ from them.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"

/* The rows of in_force.sql, in a transaction of its own. */
PgRows *running_settings_look (Pg *pg, GError **error);
/* The row of JOB; -1: no process has it. */
int running_settings_row (const PgRows *running, const Job *job);
/* The settings of JOB in the process that started last; without any process, those of this command
 * line. New reference. */
json_t *running_settings_of (const PgRows *running, const Job *job);
/* {job: mode} of the jobs whose mode is not `apply`. New reference. */
json_t *running_settings_modes (Cli *cli, const PgRows *running);
/* The jobs of such MODES that have MODE, for people: `all jobs`, or their names, the first of many.
 * NULL: there are none. g_free it. */
char *running_settings_in_mode (Cli *cli, const json_t *modes, const char *mode);
