/* Jobs that SQL alone cannot say: the table of their code. */
#include "jobs/jobs.h"

const JobCode JOB_CODE[] = {
  { "users.delete_placeholder", delete_placeholder_step, NULL },
  { NULL, NULL, NULL },
};
