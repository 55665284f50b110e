/* The night of the jobs in force, by the settings of the running processes; without a process, by
 * those of this command line. For `night`, `doctor` and `report`.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"
#include "engine/night/night.h"

/* The rows of night.sql, in a transaction of its own; SINCE as night_ask. NULL: error. */
PgRows *night_look (Cli *cli, Pg *pg, const char *since, GError **error);
