#include "engine/job/job_ranges.h"

#define MOST_BY_PROCESSORS 4 /* the default of [run] workers */

const char *
job_ranges_refusal (const Job *job)
{
  const Sentence *sentence = job->sentence;
  if (job->kind->undivided != NULL)
    return job->kind->undivided;
  if (sentence != NULL && sentence->keep.rows > 0)
    return "`keep` counts the rows of a group, so a run of it is not divided";
  if (sentence != NULL
      && (sentence->children->len > 0 || sentence->children_auto || sentence->portion > 0))
    return "rows of other tables go with its rows, in an order that ranges would break";
  if (job->spacing)
    return "the rows of its run are numbered (spacing), so it is not divided";
  if (sentence == NULL && (job->page == NULL || job->cursor->len == 0))
    return "it has no page with a cursor that could be divided";
  if (sentence == NULL && !job_reads (job, "ranges"))
    return "the order of its rows matters, so a run of it is not divided";
  return NULL;
}

int
job_ranges (const Job *job, const Config *config)
{
  const int ranges = (int)config_job_int (config, job->name, "ranges");
  return ranges > 0 ? ranges : (int)MIN (g_get_num_processors (), MOST_BY_PROCESSORS);
}
