/* The load of a daemon on the server, for `pruned status` and `pruned doctor`: which thresholds of
 * [throttle] are passed now, who waits for them, and the dead rows of the tables that jobs delete
 * from. The thresholds are those of this command's configuration.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"

/* Adds `throttle {waiting, passed, hidden, role}` and `dead_rows` to FOUND, outside a transaction
 * of PG. `passed` lacks the rate of the write-ahead log: that takes two looks. What cannot be found
 * out is left out. */
void gentle_ask (Cli *cli, Pg *pg, json_t *found);
/* The same for people. */
void gentle_say (Output *out, const json_t *found);
/* The parameters of dead_rows.sql. */
PgValues *gentle_values (const Cli *cli);
/* The role of the running daemons; NULL: none is seen. g_free it. */
char *gentle_role (Pg *pg);
