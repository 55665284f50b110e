/* What is noted in `pruned.partitions`: how far each partition is, whether its detach is our own,
 * and what ends a note.
 *
 * Threads: one worker, inside the step's transaction unless said otherwise. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* The rows of partitions_begun.sql. */
PgRows *partitions_noted_ask (Step *step, GError **error);
gboolean partitions_noted_is (const PgRows *noted, int row, const char *state);

/* What the job decides of those NOTED now: a row of partitions_decide.sql for each, in their order.
 */
PgRows *partitions_noted_decide (Step *step, const PgRows *noted, GError **error);
/* Why ROW, which is not half detached, is not to be dropped; NULL: it is. */
const char *partitions_noted_reason_to_keep (const PgRows *noted, const PgRows *decided, int row);
/* Ends the notes of those that are kept, with a line for each. *N: how many. */
gboolean partitions_noted_forget_kept (Step *step, const PgRows *noted, const PgRows *decided,
                                       gint64 *n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void partitions_noted_log_kept (Step *step, const char *partition, const char *reason);
/* Runs STATEMENT, which ends the notes RELIDS (taken; an array), and counts its rows as COUNTER. */
gboolean partitions_noted_end (Step *step, const PgStatement *statement, GString *relids,
                               const char *counter, gint64 *n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Ends the notes RELIDS (taken; an array) of partitions that are no more. */
gboolean partitions_noted_forget (Step *step, GString *relids, const char *counter, gint64 *n,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The transaction detaches the partition RELID. */
gboolean partitions_noted_mark (Step *step, const char *relid, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same, committed, with no transaction open. *FOUND: it is still attached, and noted. */
gboolean partitions_noted_mark_alone (Step *step, const char *relid, gboolean *found,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The detach of RELID failed with SQLSTATE, with no transaction open. TRUE: somebody else was
 * first. What cannot be noted then is left: the next try begins with the mark again. */
gboolean partitions_noted_unmark_alone (Step *step, const char *relid, const char *sqlstate);
