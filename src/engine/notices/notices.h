/* Notices ([notify] url): what a person has to know, posted to a web address. What the night says
 * that somebody is needed for (engine/night), and second readings that disagree, become rows of
 * pruned.notices, each told once as long as it is so. A thread of its own does it, with a
 * connection of its own, one request at a time: no step and no housekeeping waits for it, and no
 * transaction is open during a request.
 *
 * Invariant: a row is marked as told only after the service has answered with 2xx. If the process
 * ends in between, another tells it again: at least once.
 *
 * Threads: main. Ownership: notices_stop; CONFIG is borrowed until then.
 */
#pragma once
#include "config/config.h"

typedef struct _Notices Notices;
/* NULL without an error: no address is set. NULL with ERROR: PRUNED_OUTAGE. Looks by the jobs in
 * force. */
Notices *notices_start (const Config *config, GError **error);
/* Gives up a request that is under way; NULL: nothing. */
void notices_stop (Notices *notices);
