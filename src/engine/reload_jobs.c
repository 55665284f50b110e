#include "engine/reload_jobs.h"

#include "engine/job/in_force.h"
#include "engine/job/sentence/own_topics.h"

#include <string.h>

gboolean
reload_jobs_read (ReloadJobs *reload, const EngineOptions *options, Pg *pg, Jobs *now,
                  GError **error)
{
  Jobs *fresh = options->reload_jobs (options->data, now, pg, error);
  if (fresh == NULL)
    return FALSE;
  *reload = (ReloadJobs){ .jobs = fresh,
                          .new = TRUE,
                          .changed = g_ptr_array_new (),
                          .added = g_ptr_array_new (),
                          .removed = g_ptr_array_new () };
  jobs_compare (now, fresh, reload->added, reload->removed, reload->changed);
  return TRUE;
}

static json_t *
names_of (const GPtrArray *names)
{
  json_t *list = json_array ();
  for (guint i = 0; i < names->len; i++)
    json_array_append_new (list, json_string (names->pdata[i]));
  return list;
}

json_t *
reload_jobs_object (const ReloadJobs *reload)
{
  json_t *object = json_object ();
  json_object_set_new (object, "changed", names_of (reload->changed));
  json_object_set_new (object, "added", names_of (reload->added));
  json_object_set_new (object, "removed", names_of (reload->removed));
  json_object_set_new (object, "refused", jobs_refused_list (reload->jobs));
  return object;
}

static char *
listed (const GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (const char *)names->pdata[i]);
  return g_string_free (text, FALSE);
}

static void
warn_passed_over (const Job *job, const SentenceEvent *event, GPtrArray *topics)
{
  if (event == NULL || !g_ptr_array_find_with_equal_func (topics, event->topic, g_str_equal, NULL))
    return;
  log_warning ("Events of a removed job are passed over, because another job reads their topic",
               "job", job->name, "event", event->name, "topic", event->topic, "remedy",
               "once the job is back: pruned replay --from TIME --topic TOPIC");
}

/* Topics that nobody else reads keep their messages for the job. */
static void
warn_of_removed (const ReloadJobs *reload)
{
  g_autoptr (GPtrArray) topics = jobs_own_topics (reload->jobs, in_force_config ());
  Job *job;
  for (guint i = 0; (job = jobs_removed_at (reload->jobs, i)) != NULL; i++)
    for (guint e = 0; g_ptr_array_find (reload->removed, job->name, NULL) && e < job->events->len;
         e++) {
      const JobEvent *event = job->events->pdata[e];
      warn_passed_over (job, event->own, topics);
    }
}

void
reload_jobs_log (const ReloadJobs *reload)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < jobs_refused_count (reload->jobs); i++) {
    const JobRefused *one = jobs_refused_at (reload->jobs, i);
    const Job *old = jobs_find (reload->jobs, one->name);
    g_ptr_array_add (names, one->name);
    log_error (
        "Job refused", "job", one->name, "place", one->place, "reason", one->reason, "instead",
        old != NULL ? "the version before goes on" : "its ticks end blocked, its events wait");
  }
  warn_of_removed (reload);
  jobs_remarks_log (reload->jobs);
  g_autofree char *changed = listed (reload->changed), *added = listed (reload->added),
                  *removed = listed (reload->removed), *refused = listed (names);
  log_line (names->len > 0 ? LOG_WARNING : LOG_INFO, "reloaded", "changed", changed, "added", added,
            "removed", removed, "refused", refused, NULL);
}

void
reload_jobs_clear (ReloadJobs *reload)
{
  if (reload->new)
    jobs_free (reload->jobs);
  g_clear_pointer (&reload->changed, g_ptr_array_unref);
  g_clear_pointer (&reload->added, g_ptr_array_unref);
  g_clear_pointer (&reload->removed, g_ptr_array_unref);
}
