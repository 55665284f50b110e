/* The standby of [postgres] replica_url, for looks of housekeeping that need not be of this moment.
 *
 * Threads: that of the connection. Ownership: the caller frees it.
 */
#pragma once
#include "engine/service/service.h"

/* A connection to the standby, in a read-only transaction. NULL: none is set, or it does not answer
 * within five seconds. */
Pg *standby_begin (Service *service);
