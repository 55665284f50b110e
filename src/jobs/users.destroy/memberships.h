/* The memberships of users_destroy.h's first stage, with their effects. Rows of other tables that a
 * key would delete or change with them are removed first, and audited; what the step's limit does
 * not allow for is left to the next step.
 *
 * Threads: a worker. Ownership: as Destroy.
 */
#pragma once
#include "destroy.h"

/* Removes those of PAGE, and says how the run continues. */
gboolean users_destroy_memberships (Destroy *destroy, const PgRows *page, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
