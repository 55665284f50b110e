/* What a folder says that it needs (`needs` of job.conf): tables, and columns of tables.
 *
 * Threads: any. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/job/job.h"

/* Says what is missing, one reason; no row: nothing is. Asked with job_needs_bind. */
#define JOB_NEEDS "src/engine/job/sql/job_needs.sql"
void job_needs_bind (const Job *job, PgValues *values);
