/* Rows of other tables that a foreign key would delete or change with memberships. They go first,
 * each by a statement that the audit records.
 *
 * Threads: a worker. Ownership: none.
 */
#pragma once
#include "pruned/job.h"

/* A JobBelowFunc for pages of memberships. A page goes as a whole: with all rows below it, however
 * many they are. */
gboolean below_members_go_first (Step *step, const char *keys, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* FALSE with an error: row-level security hides rows of `members` or of a table below it. */
gboolean below_members_refuse_hidden (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
