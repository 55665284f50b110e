/* What makes a row of a job due: a column, and an age. From it alone, and not from the job's
 * condition, it is told which rows should have gone by now (step/overdue.h): so a condition that
 * stops matching does not stop this as well.
 *
 * Threads: any. Ownership: texts belong to the job.
 */
#pragma once
#include "engine/job/job.h"

typedef struct {
  const char *table;  /* as SQL writes it */
  const char *column; /* the same */
  const char *age;    /* an interval; `TABLE.COLUMN`, where a number of days stands; or a setting of
                         the job in milliseconds. NULL: at once */
  const char *unit;   /* of job_due_units: what a number counts since 1970; NULL: it is a time */
} JobDue;

/* FALSE: neither the job nor its condition says which column that is, or after which time. */
gboolean job_due (const Job *job, JobDue *due) G_GNUC_WARN_UNUSED_RESULT;

/* `days`, `s`, `ms`, `us`; NULL-terminated. */
extern const char *const job_due_units[];
gboolean job_due_unit_is (const char *word);
