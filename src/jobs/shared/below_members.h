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
/* *ANY: foreign keys would delete or change rows with memberships. Only the catalogue is read. */
gboolean below_members_is_any (Step *step, gboolean *any, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Counts what would go or change with the memberships KEYS (array literal); it only reads. */
gboolean below_members_foresee (Step *step, const char *keys, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* FALSE with an error: row-level security hides rows of `members` or of a table below it. */
gboolean below_members_refuse_hidden (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
