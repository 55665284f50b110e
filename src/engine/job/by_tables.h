/* Without `[run] jobs`: the built-in jobs whose tables the database has are in force.
 *
 * Threads: any, each with its own connection.
 */
#pragma once
#include "engine/job/job.h"
#include "pg/pg.h"

/* The built-in jobs, of all that JOBS has loaded, that need a table which SCHEMA lacks, and those
 * that start one of them: {name: why, in words}. A database that `pruned migrate` has not seen is
 * not judged: there are none. Outside a transaction. NULL: the database does not say. */
GHashTable *by_tables_absent (Pg *pg, const Jobs *jobs, const char *schema, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* `groups.destroy (starts ...), ...`, in the order in which JOBS has loaded them; NULL: ABSENT is
 * empty. g_free it. */
char *by_tables_words (const Jobs *jobs, GHashTable *absent);
