#include "base/resource.h"
#include "engine/job/job_conf.h"
#include "engine/job/job_files.h"
#include "engine/job/job_private.h"

#include <string.h>

#define FOLDER "src/jobs"

static const JobCode *
code_of (const JobCode *code, const char *name)
{
  for (; code->name != NULL; code++)
    if (g_str_equal (code->name, name))
      return code;
  return NULL;
}

/* The jobs of the program. */
static gboolean
load_embedded (Jobs *jobs, const JobCode *code, GError **error)
{
  g_auto (GStrv) names = resource_list (FOLDER);
  for (guint i = 0; names[i] != NULL; i++) {
    if (!g_str_has_suffix (names[i], "/"))
      continue;
    names[i][strlen (names[i]) - 1] = '\0';
    g_autofree char *folder = g_build_filename (FOLDER, names[i], NULL);
    g_autofree char *conf = g_build_filename (folder, "job.conf", NULL);
    if (!resource_exists (conf)) /* `shared` */
      continue;
    Job *job = job_new (folder, names[i]);
    g_ptr_array_add (jobs->jobs, job);
    job->code = code_of (code, job->name);
    if (!job_conf_read (job, error) || !job_files_load (job, error))
      return FALSE;
  }
  return TRUE;
}

/* --- refused jobs --- */

static void
refused_free (gpointer data)
{
  JobRefused *refused = data;
  g_free (refused->name);
  g_free (refused->place);
  g_free (refused->reason);
  job_free (refused->job);
  g_free (refused);
}

/* A job that takes any tick, and whose runs end at once. */
static Job *
stand_in (const Jobs *jobs, const JobRefused *refused)
{
  Job *job = job_new (refused->place, refused->name);
  job->jobs = jobs;
  job->capacity = 1;
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
    refused->job = stand_in (jobs, refused);
  g_ptr_array_add (jobs->refused, refused);
}

/* --- all jobs --- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Job *const *)a)->name, (*(const Job *const *)b)->name);
}

static int
by_refused_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const JobRefused *const *)a)->name, (*(const JobRefused *const *)b)->name);
}

static void
note_names (Jobs *jobs)
{
  guint n = jobs->jobs->len;
  g_ptr_array_sort (jobs->jobs, by_name);
  g_ptr_array_sort (jobs->refused, by_refused_name);
  jobs->names = g_new0 (const char *, n + 1);
  jobs->sections = g_new0 (const char *, n + jobs->refused->len + 1);
  for (guint i = 0; i < n; i++) {
    Job *job = jobs->jobs->pdata[i];
    job->number = i;
    job->jobs = jobs;
    jobs->names[i] = jobs->sections[i] = job->name;
  }
  for (guint i = 0; i < jobs->refused->len; i++) {
    const JobRefused *refused = jobs->refused->pdata[i];
    if (refused->job != NULL && jobs_find (jobs, refused->name) == NULL)
      jobs->sections[n++] = refused->name;
  }
}

Jobs *
jobs_load (const JobCode *code, const JobSources *sources, GError **error)
{
  g_autoptr (Jobs) jobs = g_new0 (Jobs, 1);
  jobs->jobs = g_ptr_array_new_with_free_func (job_free);
  jobs->refused = g_ptr_array_new_with_free_func (refused_free);
  jobs->events = g_ptr_array_new_with_free_func ((GDestroyNotify)sentence_event_free);
  if (!load_embedded (jobs, code, error)
      || (sources != NULL && !job_own_load (jobs, sources, error)))
    return NULL;
  note_names (jobs);
  return g_steal_pointer (&jobs);
}
