#include "engine/job/job_due.h"

const char *const job_due_units[] = { "days", "s", "ms", "us", NULL };

gboolean
job_due_unit_is (const char *word)
{
  return g_strv_contains (job_due_units, word);
}

gboolean
job_due (const Job *job, JobDue *due)
{
  const Sentence *sentence = job->sentence;
  if (sentence == NULL) {
    *due = (JobDue){ job->due_table != NULL ? job->due_table : job->table, job->due, job->due_age,
                     job->due_unit };
    return due->table != NULL && due->column != NULL;
  }
  *due = (JobDue){ sentence->table, sentence->due != NULL ? sentence->due : sentence->due_found,
                   sentence->due_age, sentence->due_unit };
  return due->column != NULL && due->age != NULL && sentence->kind != SENTENCE_SET
         && job->kind->rows;
}
