/* The standby of [postgres] replica_url, for `status` and `doctor`.
 *
 * Threads: main. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"
#include "engine/step/replica_look.h"

/* A connection to it, which is not made yet; NULL: no replica_url is set. */
Pg *cli_replica_pg (Cli *cli);
/* Asks it, and PRIMARY, how far they are. *DETAIL: what was seen, or why nothing was; g_free it. */
ReplicaLook cli_replica_look (Cli *cli, Pg *primary, char **detail);
/* Sets `replica` in FOUND: null if no replica_url is set. */
void replica_ask (Cli *cli, Pg *primary, json_t *found);
void replica_say (Output *out, const json_t *found);
