/* The jobs of the user: sentences of the configuration file and of [run] jobs_dir, and folders of
 * SQL files there. A wrong one is refused alone. */
#include "base/resource.h"
#include "engine/job/job_conf.h"
#include "engine/job/job_erasure.h"
#include "engine/job/job_files.h"
#include "engine/job/job_own_events.h"
#include "engine/job/job_private.h"
#include "engine/job/sentence/sentence_job.h"
#include "engine/job/sentence/sentence_read.h"

#include <string.h>

typedef struct {
  Jobs *jobs;
  GPtrArray *sections; /* of Section */
  GPtrArray *folders;  /* paths */
  gboolean no_ledger;
  GHashTable *places; /* the name of a job, or `event NAME` -> where it was first said */
} Own;

/* --- names --- */

/* FALSE: something else has the name. Then neither is a job, unless the program has it. */
static gboolean
claim (Own *own, const char *name, const char *place, GError **error)
{
  const char *first = g_hash_table_lookup (own->places, name);
  if (first == NULL) {
    g_hash_table_insert (own->places, g_strdup (name), g_strdup (place));
    return TRUE;
  }
  return error_fatal (error, "%s: the name '%s' is used twice, first at %s", place, name, first);
}

static char *
name_of (const Section *section)
{
  return section->is_event        ? job_own_event_name (section->name)
         : *section->name == '\0' ? g_strdup ("[retention]")
                                  : g_strdup (section->name);
}

/* An erasure is an event and a job: it has both names. */
static void
claim_sections (Own *own)
{
  for (guint i = 0; i < own->sections->len; i++) {
    const Section *section = own->sections->pdata[i];
    g_autoptr (GError) error = NULL;
    g_autofree char *name = name_of (section);
    g_autofree char *place = g_strdup_printf ("%s:%d", section->path, section->line);
    if (!claim (own, name, place, &error)
        || (section->is_erasure && !claim (own, section->name, place, &error)))
      job_refuse (own->jobs, name, !section->is_event, error);
  }
}

static void
claim_folders (Own *own)
{
  for (guint i = 0; i < own->folders->len; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *name = g_path_get_basename (own->folders->pdata[i]);
    if (!claim (own, name, own->folders->pdata[i], &error))
      job_refuse (own->jobs, name, TRUE, error);
  }
}

/* --- jobs --- */

static gboolean
can_remember (const Own *own, const Section *section, const Sentence *sentence, GError **error)
{
  return sentence->remember_days == 0 || !own->no_ledger
         || section_fail (
             section, section_find (section, "remember"), error,
             "remember: there is no ledger: set ledger = topic or file, and key_file, in"
             " [erasures]");
}

static Job *
job_of (const Own *own, const Section *section, GError **error)
{
  if (section->broken != NULL)
    return error_null (error, PRUNED_FATAL, "%s", section->broken);
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autoptr (Sentence) sentence = sentence_read (section, settings, error);
  if (sentence == NULL || !can_remember (own, section, sentence, error)
      || !job_own_events_exist (own->jobs, section, sentence, error))
    return NULL;
  Job *job = sentence_job (g_steal_pointer (&sentence), section, settings);
  job_own_events_add (own->jobs, job, job->sentence->on);
  return job;
}

static Job *
job_of_folder (const Jobs *jobs, const char *folder, GError **error)
{
  g_autofree char *name = g_path_get_basename (folder);
  g_autoptr (Job) job = job_new (folder, name);
  g_autofree char *conf = g_build_filename (folder, "job.conf", NULL);
  g_auto (GStrv) names = resource_list (folder, error);
  if (names == NULL)
    return NULL;
  if (!sentence_name_is_valid (name) || !resource_exists (conf))
    return error_null (error, PRUNED_FATAL, "%s: %s", folder,
                       resource_exists (conf) ? "this cannot be the name of a job"
                                              : "there is no job.conf");
  return job_conf_read (job, error) && job_files_load (job, error)
                 && job_own_events_of_folder (jobs, job, error)
             ? g_steal_pointer (&job)
             : NULL;
}

static void
take (Own *own, const char *name, Job *job, const GError *error)
{
  if (job != NULL)
    g_ptr_array_add (own->jobs->jobs, job);
  else
    job_refuse (own->jobs, name, TRUE, error);
}

/* Its event is refused with it. */
static void
add_erasure (Own *own, const Section *section)
{
  const GPtrArray *events = own->jobs->events;
  for (guint i = 0; i < events->len; i++) {
    const SentenceEvent *event = events->pdata[i];
    if (!g_str_equal (event->name, section->name))
      continue;
    Job *job = job_erasure_new (section, event);
    job_own_events_add (own->jobs, job, job->on);
    g_ptr_array_add (own->jobs->jobs, job);
  }
}

static void
add_jobs (Own *own)
{
  for (guint i = 0; i < own->sections->len; i++) {
    const Section *section = own->sections->pdata[i];
    g_autofree char *name = name_of (section);
    g_autoptr (GError) error = NULL;
    if (section->is_erasure)
      add_erasure (own, section);
    if (section->is_event)
      continue;
    if (jobs_refused_find (own->jobs, name) == NULL) {
      Job *job = job_of (own, section, &error);
      take (own, name, job, error);
    }
    job_own_events_add_to_refused (own->jobs, section, name);
  }
  for (guint i = 0; i < own->folders->len; i++) {
    g_autofree char *name = g_path_get_basename (own->folders->pdata[i]);
    g_autoptr (GError) error = NULL;
    if (jobs_refused_find (own->jobs, name) == NULL) {
      Job *job = job_of_folder (own->jobs, own->folders->pdata[i], &error);
      if (job != NULL || resource_exists (own->folders->pdata[i])) /* it was not removed since */
        take (own, name, job, error);
    }
    job_own_events_of_refused_folder (own->jobs, own->folders->pdata[i]);
  }
}

/* --- sources --- */

/* `lost+found` of a volume cannot be read either. */
static gboolean
may_be_job (const char *folder)
{
  g_autofree char *name = g_path_get_basename (folder),
                  *conf = g_build_filename (folder, "job.conf", NULL);
  return job_files_make_job (folder)
         && (sentence_name_is_valid (name) || g_file_test (conf, G_FILE_TEST_EXISTS));
}

/* NAME is an entry of [run] jobs_dir, which is at FOLDER; that of a folder ends with `/`. */
static void
take_entry (Own *own, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  if (!resource_exists (path))
    return; /* it was removed since */
  if (g_str_has_suffix (name, "/")) {
    path[strlen (path) - 1] = '\0';
    if (may_be_job (path))
      g_ptr_array_add (own->folders, g_steal_pointer (&path));
  } else if (name[0] == '.')
    return;
  else if (g_str_has_suffix (name, ".conf"))
    sections_of_file (own->sections, path);
  else if (!g_file_test (path, G_FILE_TEST_EXISTS) && sentence_name_is_valid (name))
    g_ptr_array_add (own->folders, g_steal_pointer (&path)); /* a link: of a job, perhaps */
  else
    job_remark_file (own->jobs, path);
}

static gboolean
list_folder (Own *own, const char *folder, gboolean must_exist, GError **error)
{
  g_autofree char *path = g_canonicalize_filename (folder, NULL);
  if (must_exist && !resource_exists (path))
    return error_fatal (error, "[run] jobs_dir: there is no folder %s", path);
  g_auto (GStrv) names = resource_list (path, error);
  if (names == NULL)
    g_prefix_error (error, "[run] jobs_dir: ");
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    take_entry (own, path, names[i]);
  return names != NULL;
}

static gboolean
list_all (Own *own, const JobSources *sources, GError **error)
{
  if (sources->config != NULL
      && !sections_of_config (own->sections, sources->config, sources->config_must_exist, error))
    return FALSE;
  return sources->folder == NULL || *sources->folder == '\0'
         || list_folder (own, sources->folder, sources->folder_must_exist, error);
}

static void
claim_built_in (GHashTable *places, const GPtrArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++)
    g_hash_table_insert (places, g_strdup (((Job *)jobs->pdata[i])->name),
                         g_strdup ("a job of the program"));
}

gboolean
job_own_load (Jobs *jobs, const JobSources *sources, GError **error)
{
  g_autoptr (GPtrArray) sections = sections_new (),
                        folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Own own = { jobs, sections, folders, sources->no_ledger, places };
  claim_built_in (places, jobs->jobs);
  claim_built_in (places, jobs->others);
  if (!list_all (&own, sources, error))
    return FALSE;
  claim_sections (&own);
  claim_folders (&own);
  job_own_events_load (jobs, sections, sources);
  add_jobs (&own);
  job_remark_events (own.jobs, own.sections, own.folders);
  return TRUE;
}
