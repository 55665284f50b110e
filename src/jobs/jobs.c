/* Jobs that SQL alone cannot say: the table of their code. */
#include "pruned/job.h"

const JobCode JOB_CODE[] = {
  { NULL, NULL, NULL },
};
