#include "engine/job/job_own_events.h"

#include "avro/message.h"
#include "base/plural.h"
#include "config/nearest.h"
#include "engine/job/job_conf_named.h"
#include "engine/job/job_erasure.h"
#include "engine/job/job_private.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/job/sentence/sentence_read.h"

#define EVENTS "pruned.events."

char *
job_own_event_name (const char *event)
{
  return g_strconcat ("event ", event, NULL);
}

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
refuse_event (Jobs *jobs, const Section *section, const GError *error)
{
  g_autofree char *name = job_own_event_name (section->name);
  const KeyFileEntry *topic = section_find (section, "topic"),
                     *type = section_find (section, "type");
  job_refuse (jobs, name, FALSE, error);
  JobRefused *refused = (JobRefused *)jobs_refused_find (jobs, name);
  refused->topic = topic != NULL ? g_strdup (topic->value) : NULL;
  refused->type = type != NULL ? g_strdup (type->value) : NULL;
}

static gboolean
has_own_topic (const Section *section, const char *topic, const char *prefix, GError **error)
{
  const char *whose = own_topics_whose (topic, prefix);
  return whose == NULL
         || section_fail (section, section_find (section, "topic"), error,
                          "topic: %s is one of %s: events come from a topic of the application",
                          topic, whose);
}

/* An erasure is a job, too, whose name something else may have. */
static gboolean
has_own_name (const Jobs *jobs, const Section *section, GError **error)
{
  const JobRefused *taken = section->is_erasure ? jobs_refused_find (jobs, section->name) : NULL;
  return taken == NULL || section_fail (section, NULL, error, "%s", taken->reason);
}

static void
read_all (Jobs *jobs, const GPtrArray *sections, const JobSources *sources)
{
  for (guint i = 0; i < sections->len; i++) {
    const Section *section = sections->pdata[i];
    g_autofree char *name = job_own_event_name (section->name);
    g_autoptr (GError) error = NULL;
    if (!section->is_event || jobs_refused_find (jobs, name) != NULL)
      continue;
    g_autoptr (SentenceEvent) event
        = has_own_name (jobs, section, &error)
              ? sentence_event_read (section, sources->no_registry, &error)
              : NULL;
    if (event == NULL
        || (event->jobs != NULL
            && !job_erasure_read (event, section, sections, jobs->events, sources->no_registry,
                                  &error)))
      refuse_event (jobs, section, error);
    else if (!has_own_topic (section, event->topic, sources->prefix, &error))
      job_refuse (jobs, name, FALSE, error);
    else
      g_ptr_array_add (jobs->events, g_steal_pointer (&event));
  }
}

/* Why there is no event NAME, with the nearest one. g_free it. */
static char *
why_no_event (const Jobs *jobs, const char *name)
{
  g_autofree char *own_name = job_own_event_name (name);
  const JobRefused *refused = jobs_refused_find (jobs, own_name);
  if (refused != NULL)
    return g_strdup_printf ("[event %s] is refused: %s: %s", name, refused->place, refused->reason);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < jobs->events->len; i++)
    g_ptr_array_add (names, ((SentenceEvent *)jobs->events->pdata[i])->name);
  g_ptr_array_add (names, NULL);
  const char *meant = nearest_name (name, (const char *const *)names->pdata);
  return meant != NULL
             ? g_strdup_printf ("there is no [event %s], did you mean '%s'?", name, meant)
             : g_strdup_printf (
                   "there is no [event %s]: write this section, with 'topic' and 'key'", name);
}

/* Why no job of the user can name the event NAME in `on`. NULL: it can. */
static char *
why_not_on (const Jobs *jobs, const char *name)
{
  g_autofree char *record = g_strconcat (EVENTS, name, NULL);
  if (find_event (jobs, name) != NULL)
    return NULL;
  if (message_schema (record) != NULL)
    return g_strdup_printf ("%s is an event of the program's own jobs and names no row of this"
                            " table: write an [event] section with your topic, and a key",
                            name);
  return why_no_event (jobs, name);
}

/* Events that name one that does not exist go. TRUE: some did, which others may have named. */
static gboolean
check_cancels (Jobs *jobs, const GPtrArray *sections)
{
  gboolean some = FALSE;
  for (guint i = 0; i < sections->len; i++) {
    const Section *section = sections->pdata[i];
    const SentenceEvent *event = section->is_event ? find_event (jobs, section->name) : NULL;
    if (event == NULL || event->cancel_on == NULL)
      continue;
    g_autoptr (GError) error = NULL;
    const SentenceEvent *other = find_event (jobs, event->cancel_on);
    g_autofree char *why = other == NULL ? why_no_event (jobs, event->cancel_on) : NULL;
    if (why != NULL)
      section_fail (section, section_find (section, "cancel_on"), &error, "cancel_on: %s", why);
    else if (g_strv_length (other->key) != g_strv_length (event->key))
      section_fail (section, NULL, &error, "cancel_on: [event %s] has another number of keys",
                    other->name);
    else if (!sentence_event_names_alike (other, event))
      section_fail (section, NULL, &error, "cancel_on: [event %s] names rows by other columns",
                    other->name);
    if (error == NULL)
      continue;
    refuse_event (jobs, section, error);
    g_ptr_array_remove (jobs->events, (gpointer)event);
    some = TRUE;
  }
  return some;
}

void
job_own_events_load (Jobs *jobs, const GPtrArray *sections, const JobSources *sources)
{
  read_all (jobs, sections, sources);
  while (check_cancels (jobs, sections))
    ;
}

/* Why a sentence cannot have EVENT beside its FIRST one, or its other keys. A condition that asks
 * for the columns of an event is part of all that the sentence does. NULL: it can. */
static char *
why_not_beside (const SentenceEvent *first, const SentenceEvent *event, const Section *section)
{
  static const char *const ticks[] = { "schedule", "ticks" };
  if (!sentence_event_names_alike (first, event))
    return g_strdup_printf ("[event %s] and [event %s] name rows by other columns: write a sentence"
                            " for each",
                            first->name, event->name);
  for (guint i = 0; event->columns != NULL && i < G_N_ELEMENTS (ticks); i++) {
    const KeyFileEntry *entry = section_find (section, ticks[i]);
    if (entry != NULL && !g_str_equal (entry->value, "off"))
      return g_strdup_printf ("[event %s] names rows by columns, so there are no ticks: write"
                              " another sentence for '%s'",
                              event->name, ticks[i]);
  }
  return NULL;
}

/* As NAME, which exists, names rows of JOB. NULL: it is an erasure of other jobs. */
static const SentenceEvent *
find_for (const Jobs *jobs, const char *name, const char *job)
{
  return sentence_event_of (find_event (jobs, name), job);
}

/* Why an erasure NAME does not ask JOB. NULL: it does, or is no erasure. */
static char *
why_not_part (const Jobs *jobs, const char *name, const char *job)
{
  return find_for (jobs, name, job) != NULL
             ? NULL
             : g_strdup_printf ("[erasure %s] does not ask this job: add %s to its `jobs`", name,
                                job);
}

gboolean
job_own_events_exist (const Jobs *jobs, const Section *section, const Sentence *sentence,
                      GError **error)
{
  gboolean by_erasure = FALSE;
  for (char **on = sentence->on; *on != NULL; on++) {
    g_autofree char *why = why_not_on (jobs, *on);
    if (why == NULL)
      why = why_not_part (jobs, *on, sentence->name);
    if (why == NULL)
      why = why_not_beside (find_for (jobs, sentence->on[0], sentence->name),
                            find_for (jobs, *on, sentence->name), section);
    if (why != NULL)
      return section_fail (section, section_find (section, "on"), error, "on: %s", why);
    by_erasure |= find_event (jobs, *on)->jobs != NULL;
  }
  return by_erasure || section_find (section, "key") == NULL
         || section_fail (
             section, section_find (section, "key"), error,
             "key: only a job of an [erasure] has one: that of an [event] stands in its"
             " section");
}

/* --- jobs --- */

static JobEvent *
job_event_new (const Jobs *jobs, const Job *job, const SentenceEvent *event, gboolean timers)
{
  JobEvent *added = g_new0 (JobEvent, 1);
  const char *key = event->columns != NULL ? JOB_EVENT_ROWS : JOB_EVENT_KEY;
  if (event->of != NULL) { /* whether and when is the erasure's affair */
    *added = (JobEvent){
      .type = g_strdup (event->name), .key = g_strdup (key), .own = event, .by_erasure = TRUE
    };
    return added;
  }
  *added = (JobEvent){ .type = g_strdup (event->name),
                       .key = g_strdup (key),
                       .unique_key = timers ? g_strdup_printf ("%s/{%s}", job->name, key) : NULL,
                       .due = timers ? g_strdup ("due") : NULL,
                       .own = event,
                       .cancel
                       = event->cancel_on != NULL ? find_event (jobs, event->cancel_on) : NULL };
  return added;
}

/* The erasure itself has the event as it is. */
static const SentenceEvent *
find_as_asked (const Jobs *jobs, const Job *job, const char *name)
{
  const SentenceEvent *event = find_event (jobs, name);
  return event == NULL || g_str_equal (event->name, job->name)
             ? event
             : sentence_event_of (event, job->name);
}

void
job_own_events_add (const Jobs *jobs, Job *job, char **names)
{
  gboolean timers = FALSE;
  for (char **on = names; *on != NULL; on++) {
    const SentenceEvent *event = find_as_asked (jobs, job, *on);
    timers
        |= event != NULL && event->of == NULL && (event->due != NULL || event->cancel_on != NULL);
  }
  for (char **on = names; *on != NULL; on++) {
    const SentenceEvent *event = find_as_asked (jobs, job, *on);
    if (event == NULL)
      continue;
    g_ptr_array_add (job->events, job_event_new (jobs, job, event, timers));
    if (job->sentence != NULL && job->sentence->by == NULL)
      job->sentence->by = g_strdupv (event->columns);
  }
}

void
job_own_events_add_to_refused (const Jobs *jobs, const Section *section, const char *name)
{
  const KeyFileEntry *entry = section_find (section, "on");
  const JobRefused *refused = jobs_refused_find (jobs, name);
  if (entry == NULL || refused == NULL || refused->job == NULL)
    return;
  g_auto (GStrv) names = g_strsplit_set (entry->value, ", \t", -1); /* some are empty */
  job_own_events_add (jobs, refused->job, names);
  const KeyFileEntry *table = section_find (section, "table");
  refused->job->table = g_strdup (table != NULL ? table->value : NULL);
}

/* --- folders --- */

/* How many columns the key of JOB has, by what event_key.sql asks for. */
static guint
parts_of (const Job *job)
{
  guint n = 0;
  const char *const *names = pg_statement_parameters (job->event_key);
  for (guint i = 0; names[i] != NULL; i++)
    n += g_str_has_prefix (names[i], "parts_");
  return n;
}

/* Why JOB cannot read the key of EVENT. NULL: it can. */
static char *
why_no_key (const Job *job, const SentenceEvent *event)
{
  if (event->jobs != NULL)
    return g_strdup_printf ("[erasure %s] asks sentences only, and no folder", event->name);
  if (event->columns != NULL)
    return g_strdup_printf ("[event %s] names rows by columns: only a sentence finds these",
                            event->name);
  if (job->event_key == NULL)
    return g_strdup ("there is no event_key.sql, which writes the key that an event names");
  const guint has = g_strv_length (event->key), wants = parts_of (job);
  if (has == wants)
    return NULL;
  return g_strdup_printf (
      "the key of [event %s] has %u %s, and event_key.sql asks for %u (:parts_1,"
      " ...)",
      event->name, has, plural (has, "path", "paths"), wants);
}

gboolean
job_own_events_of_folder (const Jobs *jobs, Job *job, GError **error)
{
  for (char **on = job->on; *on != NULL; on++) {
    g_autofree char *missing = why_not_on (jobs, *on),
                    *why = missing == NULL ? why_no_key (job, find_event (jobs, *on)) : NULL;
    if (missing != NULL || why != NULL)
      return job_conf_fail (job, "on", error, "%s", missing != NULL ? missing : why);
  }
  job_own_events_add (jobs, job, job->on);
  return TRUE;
}

void
job_own_events_of_refused_folder (const Jobs *jobs, const char *folder)
{
  g_autofree char *name = g_path_get_basename (folder);
  const JobRefused *refused = jobs_refused_find (jobs, name);
  if (refused == NULL || refused->job == NULL || refused->job->events->len > 0)
    return;
  g_auto (GStrv) names = job_conf_on (folder);
  job_own_events_add (jobs, refused->job, names);
  if (*names != NULL && refused->job->table == NULL)
    refused->job->table = job_conf_value (folder, "table");
}
