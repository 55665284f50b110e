/* Which columns of a job's tables the audit leaves out. What a column is, the database says
 * (`pruned.secret_columns`).
 *
 * Threads: any, each with its own Pg. Ownership: see each function.
 */
#pragma once
#include "engine/job/job.h"

/* A column that is not recorded, or that `record` names in vain. */
typedef struct {
  char *column;  /* `table.column` */
  char *why;     /* what follows for a restore */
  gboolean lost; /* rows of its table cannot be put back */
  gboolean vain; /* of `record` */
} Unrecorded;

/* Those of JOB, in the open transaction of PG: an array of Unrecorded, empty where the job
 * records no rows. Of a job of the program only those without which rows cannot be put back: its
 * page says what else is left out. g_ptr_array_unref it. NULL: an error. */
GPtrArray *unrecorded_find (Pg *pg, const Job *job, GError **error);
/* `users.token (its rows cannot be put back), users.pin`; NULL: there is none. g_free it. */
char *unrecorded_words (const GPtrArray *columns);
/* The columns that JOB sets itself, as an array of texts; NULL: any, or not known. g_free it. */
char *unrecorded_emptied (const Job *job);
/* Rows that JOB removes, and that could come back, cannot be put back without some of COLUMNS. */
gboolean unrecorded_loses (const Job *job, const GPtrArray *columns);
