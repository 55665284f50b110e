/* What the user has written that has no effect. */
#include "base/log.h"
#include "engine/job/job_conf_named.h"
#include "engine/job/job_own_events.h"
#include "engine/job/job_private.h"
#include "engine/job/sentence/sections.h"

#include <glib/gstdio.h>

#define MOST_BYTES (1 << 20)

void
job_remark_free (gpointer data)
{
  JobRemark *remark = data;
  g_free (remark->name);
  g_free (remark->place);
  g_free (remark->text);
  g_free (remark);
}

void
jobs_remarks_log (const Jobs *jobs)
{
  for (guint i = 0; i < jobs->remarks->len; i++) {
    const JobRemark *remark = jobs->remarks->pdata[i];
    log_warning ("Configuration has no effect", "name", remark->name, "place", remark->place,
                 "reason", remark->text);
  }
}

/* Takes NAME. */
static void
add (Jobs *jobs, char *name, const char *place, const char *text)
{
  JobRemark *remark = g_new0 (JobRemark, 1);
  *remark = (JobRemark){ name, g_strdup (place), g_strdup (text) };
  g_ptr_array_add (jobs->remarks, remark);
}

/* Those that a section or a folder names, also if it is refused. A set. */
static GHashTable *
events_in_use (const GPtrArray *sections, const GPtrArray *folders)
{
  GHashTable *users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < sections->len; i++) {
    const Section *section = sections->pdata[i];
    const KeyFileEntry *entry = section->broken == NULL
                                    ? section_find (section, section->is_event ? "cancel_on" : "on")
                                    : NULL;
    g_auto (GStrv) names = g_strsplit_set (entry != NULL ? entry->value : "", ", \t", -1);
    for (char **name = names; *name != NULL; name++)
      g_hash_table_add (users, g_strdup (*name));
  }
  for (guint i = 0; i < folders->len; i++) {
    g_auto (GStrv) names = job_conf_on (folders->pdata[i]);
    for (char **name = names; *name != NULL; name++)
      g_hash_table_add (users, g_strdup (*name));
  }
  return users;
}

void
job_remark_events (Jobs *jobs, const GPtrArray *sections, const GPtrArray *folders)
{
  g_autoptr (GHashTable) users = events_in_use (sections, folders);
  for (guint i = 0; i < jobs->events->len; i++) {
    const SentenceEvent *event = jobs->events->pdata[i];
    if (!g_hash_table_contains (users, event->name))
      add (jobs, job_own_event_name (event->name), event->place,
           "no job names this event in `on`: its topic is not read");
  }
}

void
job_remark_file (Jobs *jobs, const char *path)
{
  GStatBuf file;
  gsize len;
  g_autofree char *text = NULL;
  if (g_stat (path, &file) != 0 || !S_ISREG (file.st_mode) || file.st_size > MOST_BYTES
      || !g_file_get_contents (path, &text, &len, NULL)
      || !g_regex_match_simple ("^[ \\t]*\\[(retention|event|erasure)[ \\t\\]]", text,
                                G_REGEX_MULTILINE | G_REGEX_RAW, 0))
    return;
  add (jobs, g_path_get_basename (path), path,
       "passed over: only files NAME.conf are read, and this one has a section of a job");
}
