/* Holds follow their tables and rows (schemas/postgres/049-holds-settle.sql), and what they have
 * followed stays until a step has ended.
 *
 * A step locks the held tables that its job can reach by statements and foreign keys, so these keep
 * name and key, and nobody waits for another table. Of one that only a trigger reaches it asks
 * behind its effects: from then on its own locks are on it.
 * Threads: that of the connection. Ownership: as said.
 */
#pragma once
#include "engine/job/job.h"

/* The tables whose rows JOB deletes, changes or locks, as an array; g_free it. */
char *held_reach (const Job *job);
/* In a transaction, before anything is read that goes by holds. Steps of
 * JOB begin. */
gboolean held_follow (Pg *pg, const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A table (`tab`) that holds have not followed yet, a row at most. AFTER: one of which this
 * transaction has deleted or changed rows. rows_free it. */
PgRows *held_follow_changed (Pg *pg, gboolean after, GError **error);
