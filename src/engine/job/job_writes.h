/* The tables that a job writes, as found in its SQL files, so that no second list can become
 * outdated.
 *
 * Threads: any. Ownership: none; what is visited is valid during the visit.
 */
#pragma once
#include "engine/job/job.h"

/* PRIVILEGE: DELETE, UPDATE or INSERT. A table can come several times. Tables of other schemas than
 * the application's are left out. */
typedef void (*JobWritesVisit) (const Job *job, const char *table, const char *privilege,
                                gpointer data);
void job_writes_each (const Job *job, JobWritesVisit visit, gpointer data);
