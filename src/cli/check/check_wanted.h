/* What a statement about the catalogue is asked for: jobs, each with tables and names. A question
 * is asked once for all jobs that are looked at together (check_ahead).
 *
 * Threads: as Check. Ownership: see each function.
 */
#pragma once
#include "cli/check/check.h"

typedef struct {
  GString *jobs, *tables, *names; /* names: privileges, functions, columns */
} CheckWanted;

/* Adds what is wanted of JOB. */
typedef void (*CheckWantOf) (const Job *job, CheckWanted *wanted);

/* DATA: a CheckWanted. TABLE as SQL writes it. */
void check_want (const Job *job, const char *table, const char *name, gpointer data);
/* Wants the tables that the statements of JOB change, with the privileges that these need. */
void check_want_written (const Job *job, CheckWanted *wanted);
/* What FILE finds about the job that is looked at: rows with the column `job`. NULL: a finding of
 * the check NAME. */
PgRows *check_ask_of (Check *check, const char *name, const char *file, CheckWantOf want_of);
