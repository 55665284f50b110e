/* Jobs whose rows events of an application name. */
#include "engine/job/job.h"

gboolean
job_names_rows (const Job *job)
{
  return job->on != NULL && job->on[0] != NULL;
}

char *
job_ticks_refusal (const Job *job)
{
  const Sentence *sentence = job->sentence;
  if (job->by_tick)
    return NULL;
  if (!job_names_rows (job)
      || (sentence != NULL ? !sentence_has_pages (sentence) : job->page == NULL))
    return g_strdup_printf ("job %s takes no ticks", job->name);
  if (sentence != NULL && sentence->ticks == SENTENCE_TICKS_OFF)
    return g_strdup_printf ("job %s takes no ticks (ticks = off)", job->name);
  return g_strdup_printf (
      "job %s takes no ticks: its runs are about the rows that events name (on); "
      "with %s a tick would take all rows of %s",
      job->name,
      sentence != NULL ? "a schedule in its section, or with ticks = on,"
                       : "tick among the `starts` of its job.conf",
      sentence != NULL ? "its condition" : "page.sql");
}

gboolean
job_only_names_rows (const Job *job)
{
  return job_names_rows (job) && !job->by_tick;
}
