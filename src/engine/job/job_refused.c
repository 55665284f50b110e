/* Jobs that are refused: what stands for them in runs. */
#include "engine/job/job_private.h"

#include <string.h>

/* --- refused jobs --- */

void
job_refused_free (gpointer data)
{
  JobRefused *refused = data;
  g_free (refused->name);
  g_free (refused->place);
  g_free (refused->reason);
  g_free (refused->topic);
  g_free (refused->type);
  g_free (refused->written);
  job_free (refused->job);
  g_free (refused);
}

/* A job that takes any tick, and whose runs end at once. */
static Job *
stand_in (const JobRefused *refused)
{
  Job *job = job_of_name (refused->name, 1);
  g_free (job->folder);
  job->folder = g_strdup (refused->place);
  job->refused = g_strdup_printf ("refused: %s: %s", refused->place, refused->reason);
  return job;
}

void
job_refuse (Jobs *jobs, const char *name, gboolean stands, const GError *cause)
{
  const char *text = cause->message, *colon = strstr (text, ": ");
  if (jobs_refused_find (jobs, name) != NULL)
    return;
  JobRefused *refused = g_new0 (JobRefused, 1);
  refused->name = g_strdup (name);
  refused->place = g_strndup (text, colon != NULL ? (gsize)(colon - text) : strlen (text));
  refused->reason = g_strdup (colon != NULL ? colon + 2 : text);
  if (stands)
    refused->job = stand_in (refused);
  g_ptr_array_add (jobs->refused, refused);
}

void
job_refused_checked (Jobs *jobs, Job *job)
{
  JobRefused *refused = (JobRefused *)jobs_refused_find (jobs, job->name);
  if (refused->written == NULL)
    refused->written = g_strdup (job->written);
  if (refused->job == NULL)
    return;
  GPtrArray *events = refused->job->events;
  refused->job->events = job->events;
  job->events = events;
}

json_t *
jobs_refused_list (const Jobs *jobs)
{
  json_t *list = json_array ();
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const JobRefused *one = jobs_refused_at (jobs, i);
    json_array_append_new (list, json_pack ("{s:s, s:s, s:s}", "job", one->name, "place",
                                            one->place, "reason", one->reason));
  }
  return list;
}
