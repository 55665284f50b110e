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
  g_auto (GStrv) names = resource_list (FOLDER, error);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
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
    job->kind = job_kind_of (job->code, NULL);
    job->built_in = TRUE;
    if (!job_conf_read (job, error) || !job_files_load (job, error))
      return FALSE;
  }
  return names != NULL;
}

Jobs *
jobs_new (void)
{
  Jobs *jobs = g_new0 (Jobs, 1);
  jobs->jobs = g_ptr_array_new_with_free_func (job_free);
  jobs->others = g_ptr_array_new_with_free_func (job_free);
  jobs->refused = g_ptr_array_new_with_free_func (job_refused_free);
  jobs->events = g_ptr_array_new_with_free_func ((GDestroyNotify)sentence_event_free);
  jobs->remarks = g_ptr_array_new_with_free_func (job_remark_free);
  return jobs;
}

static int
by_refused_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const JobRefused *const *)a)->name, (*(const JobRefused *const *)b)->name);
}

void
jobs_note_loaded (Jobs *jobs)
{
  guint n = jobs->jobs->len;
  g_free (jobs->loaded);
  g_free (jobs->sections);
  g_ptr_array_sort (jobs->refused, by_refused_name);
  jobs->loaded = g_new0 (const char *, n + jobs->others->len + 1);
  memcpy (jobs->loaded, jobs->names, n * sizeof *jobs->names);
  for (guint i = 0; i < jobs->others->len; i++)
    jobs->loaded[n++] = ((const Job *)jobs->others->pdata[i])->name;
  jobs->sections = g_new0 (const char *, n + jobs->refused->len + 1);
  memcpy (jobs->sections, jobs->loaded, n * sizeof *jobs->names);
  for (guint i = 0; i < jobs->refused->len; i++) {
    const JobRefused *refused = jobs->refused->pdata[i];
    if (refused->job != NULL && jobs_find (jobs, refused->name) == NULL
        && jobs_find_loaded (jobs, refused->name) == NULL)
      jobs->sections[n++] = refused->name;
  }
}

Jobs *
jobs_load (const JobCode *code, const JobSources *sources, GError **error)
{
  g_autoptr (Jobs) jobs = jobs_new ();
  if (!load_embedded (jobs, code, error)
      || (sources != NULL && !job_own_load (jobs, sources, error)))
    return NULL;
  jobs_number (jobs);
  jobs_note_loaded (jobs);
  return g_steal_pointer (&jobs);
}
