/* The mode that `pruned migrate` has recorded in schema pruned: `plan` in a schema that it made,
 * `apply` in one that was there before. It holds where no setting names another (in_force.h).
 *
 * Threads: those of the connection. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* Reads it and makes it known to in_force_mode. In a transaction of its own. */
gboolean mode_read (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
