/* The jobs of the user: sentences of the configuration file and of [run] jobs_dir, and folders of
 * SQL files there. A wrong one is refused alone. */
#include "avro/message.h"
#include "base/resource.h"
#include "config/nearest.h"
#include "engine/job/job_conf.h"
#include "engine/job/job_files.h"
#include "engine/job/job_private.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/job/sentence/sentence_job.h"
#include "engine/job/sentence/sentence_read.h"

#include <string.h>

#define EVENTS "pruned.events."

typedef struct {
  Jobs *jobs;
  GPtrArray *sections; /* of Section */
  GPtrArray *folders;  /* paths */
  const JobSources *sources;
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
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: the name '%s' is used twice, first at %s",
               place, name, first);
  return FALSE;
}

static char *
name_of (const Section *section)
{
  return section->is_event        ? g_strconcat ("event ", section->name, NULL)
         : *section->name == '\0' ? g_strdup ("[retention]")
                                  : g_strdup (section->name);
}

static void
claim_sections (Own *own)
{
  for (guint i = 0; i < own->sections->len; i++) {
    const Section *section = own->sections->pdata[i];
    g_autoptr (GError) error = NULL;
    g_autofree char *name = name_of (section);
    g_autofree char *place = g_strdup_printf ("%s:%d", section->path, section->line);
    if (!claim (own, name, place, &error))
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

/* --- events --- */

static const SentenceEvent *
find_event (const Jobs *jobs, const char *name)
{
  const GPtrArray *events = jobs_events (jobs);
  for (guint i = 0; i < events->len; i++)
    if (g_str_equal (((SentenceEvent *)events->pdata[i])->name, name))
      return events->pdata[i];
  return NULL;
}

static void
refuse_event (Own *own, const Section *section, const GError *error)
{
  g_autofree char *name = name_of (section);
  const KeyFileEntry *topic = section_find (section, "topic");
  job_refuse (own->jobs, name, FALSE, error);
  JobRefused *refused = (JobRefused *)jobs_refused_find (own->jobs, name);
  refused->topic = topic != NULL ? g_strdup (topic->value) : NULL;
}

static gboolean
has_own_topic (const Own *own, const Section *section, const char *topic, GError **error)
{
  const char *whose = own_topics_whose (topic, own->sources->prefix);
  return whose == NULL
         || section_fail (section, section_find (section, "topic"), error,
                          "topic: %s is one of %s: events come from a topic of the application",
                          topic, whose);
}

static void
add_events (Own *own)
{
  for (guint i = 0; i < own->sections->len; i++) {
    const Section *section = own->sections->pdata[i];
    g_autofree char *name = name_of (section);
    g_autoptr (GError) error = NULL;
    if (!section->is_event || jobs_refused_find (own->jobs, name) != NULL)
      continue;
    g_autoptr (SentenceEvent) event
        = sentence_event_read (section, own->sources->no_registry, &error);
    if (event == NULL)
      refuse_event (own, section, error);
    else if (!has_own_topic (own, section, event->topic, &error))
      job_refuse (own->jobs, name, FALSE, error);
    else
      g_ptr_array_add (own->jobs->events, g_steal_pointer (&event));
  }
}

/* Sets the error of an event that does not exist, with the nearest one. KEY: what names it. */
static gboolean
no_event (const Own *own, const Section *section, const char *key, const char *name, GError **error)
{
  g_autofree char *own_name = g_strconcat ("event ", name, NULL);
  const JobRefused *refused = jobs_refused_find (own->jobs, own_name);
  const KeyFileEntry *entry = section_find (section, key);
  if (refused != NULL)
    return section_fail (section, entry, error, "%s: [event %s] is refused: %s: %s", key, name,
                         refused->place, refused->reason);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < own->jobs->events->len; i++)
    g_ptr_array_add (names, ((SentenceEvent *)own->jobs->events->pdata[i])->name);
  g_ptr_array_add (names, NULL);
  const char *meant = nearest_name (name, (const char *const *)names->pdata);
  return section_fail (section, entry, error, "%s: there is no [event %s]%s%s%s", key, name,
                       meant != NULL ? ", did you mean '" : "", meant != NULL ? meant : "",
                       meant != NULL ? "'?" : "");
}

/* Events that name one that does not exist go. */
static void
check_cancels (Own *own)
{
  for (guint i = 0; i < own->sections->len; i++) {
    const Section *section = own->sections->pdata[i];
    const SentenceEvent *event = section->is_event ? find_event (own->jobs, section->name) : NULL;
    if (event == NULL || event->cancel_on == NULL)
      continue;
    g_autoptr (GError) error = NULL;
    const SentenceEvent *other = find_event (own->jobs, event->cancel_on);
    if (other == NULL)
      no_event (own, section, "cancel_on", event->cancel_on, &error);
    else if (g_strv_length (other->key) != g_strv_length (event->key))
      section_fail (section, NULL, &error, "cancel_on: [event %s] has another number of keys",
                    other->name);
    if (error == NULL)
      continue;
    refuse_event (own, section, error);
    g_ptr_array_remove (own->jobs->events, (gpointer)event);
  }
}

static gboolean
events_exist (const Own *own, const Section *section, const Sentence *sentence, GError **error)
{
  for (char **on = sentence->on; *on != NULL; on++) {
    g_autofree char *record = g_strconcat (EVENTS, *on, NULL);
    const SentenceEvent *event = find_event (own->jobs, *on);
    if (event == NULL && message_schema (record) != NULL)
      return section_fail (section, section_find (section, "on"), error,
                           "on: %s is an event of the program's own jobs and names no row of this"
                           " table: write an [event] section with your topic, and a key",
                           *on);
    if (event == NULL)
      return no_event (own, section, "on", *on, error);
  }
  return TRUE;
}

/* --- jobs --- */

static JobEvent *
job_event_new (const Own *own, const Job *job, const SentenceEvent *event, gboolean timers)
{
  JobEvent *added = g_new0 (JobEvent, 1);
  *added = (JobEvent){ .type = g_strdup (event->name),
                       .key = g_strdup (JOB_EVENT_KEY),
                       .unique_key = timers ? g_strconcat (job->name, "/{key}", NULL) : NULL,
                       .due = timers ? g_strdup ("due") : NULL,
                       .own = event,
                       .cancel = event->cancel_on != NULL ? find_event (own->jobs, event->cancel_on)
                                                          : NULL };
  return added;
}

/* Runs of one key are timers if something can come between the event and its run: the latest event
 * counts, one that cancels included. Else each event has its run. */
static void
add_named_events (const Own *own, Job *job, char **names)
{
  gboolean timers = FALSE;
  for (char **on = names; *on != NULL; on++) {
    const SentenceEvent *event = find_event (own->jobs, *on);
    timers |= event != NULL && (event->due != NULL || event->cancel_on != NULL);
  }
  for (char **on = names; *on != NULL; on++) {
    const SentenceEvent *event = find_event (own->jobs, *on);
    if (event != NULL)
      g_ptr_array_add (job->events, job_event_new (own, job, event, timers));
  }
}

static Job *
job_of (const Own *own, const Section *section, GError **error)
{
  if (section->broken != NULL) {
    g_set_error_literal (error, PRUNED_ERROR, PRUNED_FATAL, section->broken);
    return NULL;
  }
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autoptr (Sentence) sentence = sentence_read (section, settings, error);
  if (sentence == NULL || !events_exist (own, section, sentence, error))
    return NULL;
  Job *job = sentence_job (g_steal_pointer (&sentence), section, settings);
  add_named_events (own, job, job->sentence->on);
  return job;
}

/* A refused job's events are not lost: what stands for it reads those that can be read. */
static void
add_events_of_refused (const Own *own, const Section *section, const char *name)
{
  const KeyFileEntry *entry = section_find (section, "on");
  const JobRefused *refused = jobs_refused_find (own->jobs, name);
  if (entry == NULL || refused == NULL || refused->job == NULL)
    return;
  g_auto (GStrv) names = g_strsplit_set (entry->value, ", \t", -1); /* some are empty */
  add_named_events (own, refused->job, names);
  const KeyFileEntry *table = section_find (section, "table");
  refused->job->table = g_strdup (table != NULL ? table->value : NULL);
}

static Job *
job_of_folder (const char *folder, GError **error)
{
  g_autofree char *name = g_path_get_basename (folder);
  g_autoptr (Job) job = job_new (folder, name);
  g_autofree char *conf = g_build_filename (folder, "job.conf", NULL);
  if (!sentence_name_is_valid (name) || !resource_exists (conf)) {
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: %s", folder,
                 resource_exists (conf) ? "this cannot be the name of a job"
                                        : "there is no job.conf");
    return NULL;
  }
  return job_conf_read (job, error) && job_files_load (job, error) ? g_steal_pointer (&job) : NULL;
}

static void
take (Own *own, const char *name, Job *job, const GError *error)
{
  if (job != NULL)
    g_ptr_array_add (own->jobs->jobs, job);
  else
    job_refuse (own->jobs, name, TRUE, error);
}

static void
add_jobs (Own *own)
{
  for (guint i = 0; i < own->sections->len; i++) {
    const Section *section = own->sections->pdata[i];
    g_autofree char *name = name_of (section);
    g_autoptr (GError) error = NULL;
    if (section->is_event)
      continue;
    if (jobs_refused_find (own->jobs, name) == NULL) {
      Job *job = job_of (own, section, &error);
      take (own, name, job, error);
    }
    add_events_of_refused (own, section, name);
  }
  for (guint i = 0; i < own->folders->len; i++) {
    g_autofree char *name = g_path_get_basename (own->folders->pdata[i]);
    g_autoptr (GError) error = NULL;
    if (jobs_refused_find (own->jobs, name) != NULL)
      continue;
    Job *job = job_of_folder (own->folders->pdata[i], &error);
    take (own, name, job, error);
  }
}

/* --- sources --- */

static gboolean
list_folder (Own *own, const char *folder, gboolean must_exist, GError **error)
{
  g_autofree char *path = g_canonicalize_filename (folder, NULL);
  if (must_exist && !g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "[run] jobs_dir: there is no folder %s", path);
    return FALSE;
  }
  g_auto (GStrv) names = resource_list (path);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *one = g_build_filename (path, names[i], NULL);
    if (g_str_has_suffix (names[i], "/")) {
      one[strlen (one) - 1] = '\0';
      if (job_files_make_job (one))
        g_ptr_array_add (own->folders, g_steal_pointer (&one));
    } else if (g_str_has_suffix (names[i], ".conf") && names[i][0] != '.')
      sections_of_file (own->sections, one);
    else if (names[i][0] != '.')
      job_remark_file (own->jobs, one);
  }
  return TRUE;
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
  Own own = { jobs, sections, folders, sources, places };
  claim_built_in (places, jobs->jobs);
  claim_built_in (places, jobs->others);
  if (!list_all (&own, sources, error))
    return FALSE;
  claim_sections (&own);
  claim_folders (&own);
  add_events (&own);
  check_cancels (&own);
  add_jobs (&own);
  job_remark_events (own.jobs, own.sections);
  return TRUE;
}
