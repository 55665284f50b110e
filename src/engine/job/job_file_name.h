/* What the name of a file in apply/ says: `10-members`, `30-todos.update`, `40-dirty_users.insert`,
 * `50-billing.orders`; of a table `billing.insert` `60-billing.insert.delete`.
 *
 * Threads: any. Ownership: the table belongs to the caller.
 */
#pragma once
#include "engine/job/job.h"

/* Sets table and kind of APPLY, by the last part of PATH, which ends with `.sql`. PRUNED_FATAL
 * begins with PATH; there is no table then. */
gboolean job_file_name (const char *path, JobApply *apply, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
