/* `pruned plan JOB --arg COLUMN=VALUE`: the rows that an event would name by columns; of an
 * erasure, who is meant.
 *
 * Threads: main. Ownership: a new reference.
 */
#pragma once
#include "engine/job/job.h"

/* The arguments of such a run, from GIVEN (NULL: nothing). Of another job: none. NULL: GIVEN does
 * not say what events of JOB say. */
json_t *plan_named_args (const Job *job, char **given, GError **error);
/* What events of the job ERASURE say, by their paths (job_erasure_args). NULL: as above. */
json_t *plan_named_values (const Job *erasure, char **given, GError **error);
