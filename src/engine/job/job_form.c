/* The forms of a job that is a sentence. */
#include "engine/job/job.h"

const Job *
job_form (const Job *job, JobForm form)
{
  return job->forms != NULL ? job->forms[form] : form == job->form ? job : NULL;
}

const Job *
job_form_next (const Job *job)
{
  return job->form == FORM_WHERE || job->form == FORM_KNOWN ? job_form (job, job->form + 1) : NULL;
}

const Job *
job_form_portion (const Job *job)
{
  return job->form >= FORM_WHERE && job->form < FORM_PORTION
             ? job_form (job, job->form - FORM_WHERE + FORM_PORTION)
             : NULL;
}

gboolean
job_goes_by_rows (const Job *job)
{
  return job->form > FORM_WHERE && job->form != FORM_PORTION;
}
