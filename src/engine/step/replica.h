/* The standby of [postgres] replica_url, on which pages of jobs that are `sticky` or `delayed` are
 * searched. Locks, decisions and changes are the primary's.
 *
 * Before a step's transaction begins, the primary says how far its log is. The standby is asked
 * only once it has replayed that much and shows the run as the step has locked it. So it has the
 * run's last commit, and all that the primary could have shown when the step began: the cursor
 * passes over no row that the standby did not have yet. Only a page with another one behind it is
 * taken: that a run has no more rows is for the primary to say.
 *
 * A standby that is behind, away, slow, no standby any more or of another cluster costs one step a
 * moment and fails none: it is tried again after a pause that grows. The log says when that
 * changes.
 *
 * Threads: a Replica is one worker's. What is known about the standby is shared by all.
 * Ownership: as said.
 */
#pragma once
#include "engine/ledger/run.h"

typedef struct _Replica Replica;

/* PRIMARY: settings of the connection to the primary. NULL: no replica_url is set. */
Replica *replica_new (const PgSettings *primary, const char *url);
void replica_free (Replica *replica); /* NULL: nothing */

/* A step of JOB begins, and its transaction has not begun: connects, and asks the primary (PG) how
 * far it is. Takes some seconds if nothing answers. REPLICA can be NULL. */
void replica_prepare (Replica *replica, Pg *pg, const Job *job);
/* A transaction of several steps begins: they do not wait for a standby. REPLICA can be NULL. */
void replica_leave (Replica *replica);
/* More than LIMIT rows of the job's page for RUN, with VALUES. NULL: the primary has to be asked.
 * REPLICA can be NULL. */
PgRows *replica_page (Replica *replica, const Run *run, const PgValues *values, int limit);
/* The metric begins with 0. */
void replica_show_zeros (void);
