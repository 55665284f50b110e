#include "engine/job/sentence/own_topics.h"

#include <string.h>

static void
add_topic (GPtrArray *topics, const SentenceEvent *event)
{
  if (event != NULL && !g_ptr_array_find_with_equal_func (topics, event->topic, g_str_equal, NULL))
    g_ptr_array_add (topics, g_strdup (event->topic));
}

/* What an erasure asks a job by, the erasure reads. */
static void
add_topics (GPtrArray *topics, const JobEvent *event)
{
  if (event->by_erasure)
    return;
  add_topic (topics, event->own);
  add_topic (topics, event->cancel);
}

/* Their events become runs that wait. */
static void
add_of_refused (GPtrArray *topics, const Jobs *jobs)
{
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const Job *job = jobs_refused_at (jobs, i)->job;
    for (guint e = 0; job != NULL && e < job->events->len; e++)
      add_topics (topics, job->events->pdata[e]);
  }
}

GPtrArray *
jobs_own_topics (const Jobs *jobs, const Config *config)
{
  GPtrArray *topics = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (guint e = 0; e < job->events->len && config_job_bool (config, job->name, "enabled"); e++)
      add_topics (topics, job->events->pdata[e]);
  }
  add_of_refused (topics, jobs);
  return topics;
}

const char *
own_topics_whose (const char *topic, const char *prefix)
{
  static const char *const ours[] = { "ticks", "events", "clock", "dead", NULL };
  if (g_str_has_prefix (topic, "__"))
    return "Kafka's own";
  if (prefix == NULL || !g_str_has_prefix (topic, prefix) || topic[strlen (prefix)] != '.')
    return NULL;
  const char *rest = topic + strlen (prefix) + 1;
  return g_strv_contains (ours, rest) || g_str_has_prefix (rest, "work.")
             ? "pruned's own ([topics] prefix)"
             : NULL;
}
