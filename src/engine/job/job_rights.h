/* The rights that a job's role needs on the application's tables, from what the job says of itself:
 * job.conf (`table`, `needs`, `locked`, `deletes`), the names of its files in apply/ and lock/, and
 * its statements. What a job composes from the catalogue at run time is not here
 * (src/cli/sql/grants.sql).
 *
 * Threads: any. Ownership: none; what is visited is valid during the visit.
 */
#pragma once
#include "engine/job/job.h"

#define RIGHT_RESTORE "RESTORE" /* INSERT, for `pruned restore` only */
#define RIGHT_FILLS "FILLS"     /* USAGE of sequences: src/cli/sql/filled.sql */
#define RIGHT_SOURCE "SOURCE"

/* TABLE: as SQL writes it, each part in quotes: `"orders"`, `"billing"."orders"`; without a schema
 * it is of the application's. RIGHT: SELECT, INSERT, UPDATE, DELETE or RIGHT_RESTORE. The same
 * right can come several times. Of a job of one's own TABLE can be a name that is no table: of a
 * common table expression. */
typedef void (*JobRightsVisit) (const Job *job, const char *table, const char *right,
                                gpointer data);
void job_rights_each (const Job *job, JobRightsVisit visit, gpointer data);
/* Of a sentence with an archive: the archive (RIGHT_FILLS), and the table whose columns it gets. */
void job_rights_filled (const Job *job, JobRightsVisit visit, gpointer data);
/* What `pruned grants` gives beside that on the table of a folder: what a page locks, and what a
 * function of the user does to it, stands in no file. */
void job_rights_of_table (const Job *job, JobRightsVisit visit, gpointer data);
