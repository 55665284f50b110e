/* Objects that cannot be deleted: a log line each, and a later try or none.
 *
 * Threads: a worker, inside the step's transaction. Ownership: none is taken.
 */
#pragma once
#include "jobs/ci.delete_objects/leased.h"

/* *FAILED: how many there are. Their rows are not leased any more. */
gboolean failed_note (Step *step, const Leased *leased, guint *failed, GError **error);
