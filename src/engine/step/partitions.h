/* A step of a job that drops partitions. What must not be lost is noted in the database: a step
 * decides and notes (`pruned.partitions`), the detach happens outside of a transaction, and a later
 * step drops what is detached and takes the note away. Whoever dies in between, the next step of
 * the job goes on with what is noted, and each part of it can be repeated.
 *
 * Only what is detached by ourselves is dropped. So a note says whether our own detach was begun:
 * that is committed in front of the detach while the partition is attached, and taken back if it
 * fails.
 *
 * The application does not wait: the detach is concurrent, and is cancelled if it takes long.
 * A statement that locks what the application may want has PARTITIONS_LOCK for all, which is less
 * than PostgreSQL's deadlock_timeout: so a deadlock never costs the application's transaction.
 *
 * Threads: one worker. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

#define PARTITIONS_LOCK "500ms"
#define PARTITIONS_DETACH_US (5 * G_USEC_PER_SEC)

/* In the step's transaction. FALSE with `outside` of STEP set: the caller rolls back, and calls
 * partitions_outside. */
gboolean partitions_step (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Notes that the detach is ours, and runs `outside`, with no transaction open. TRUE: the step is
 * tried again at once. */
gboolean partitions_outside (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* That failed with SQLSTATE. TRUE: somebody else was first, and the step is tried again at once. */
gboolean partitions_was_late (Step *step, const char *sqlstate) G_GNUC_WARN_UNUSED_RESULT;
