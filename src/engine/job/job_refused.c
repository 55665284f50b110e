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
  job_free (refused->job);
  g_free (refused);
}

/* A job that takes any tick, and whose runs end at once. */
static Job *
stand_in (const JobRefused *refused)
{
  Job *job = job_new (refused->place, refused->name);
  job->capacity = job->ranges = 1;
  job->by_tick = TRUE;
  job->arguments = g_strsplit ("*", ";", -1);
  job->argument_types = g_new0 (char *, 2);
  job->argument_types[0] = g_strdup (""); /* any type */
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
job_refused_events (Jobs *jobs, Job *job)
{
  Job *stands = jobs_refused_find (jobs, job->name)->job;
  if (stands == NULL)
    return;
  GPtrArray *events = stands->events;
  stands->events = job->events;
  job->events = events;
}
