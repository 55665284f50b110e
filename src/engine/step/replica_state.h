/* What is known about the standby of [postgres] replica_url, for all workers: whether it is worth a
 * try, and what the log has been told.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include "engine/step/replica_look.h"

/* Whether to try it now. After a failure only one thread may, once the pause is over. *WHY: what
 * the last try came to. */
gboolean replica_may_try (ReplicaState *why);
/* The outcome of a try, with a detail for the log (NULL: none). REPLICA_LAST counts as used, and
 * REPLICA_FAILED changes nothing. */
void replica_note (ReplicaState state, const char *detail);
/* A page was searched on the standby (REPLICA_USED), or, for this reason, is on the primary. */
void replica_count (ReplicaState state);
/* The metric begins with 0. */
void replica_show_zeros (void);
