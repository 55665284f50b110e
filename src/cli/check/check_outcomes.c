/* The outcomes that job.conf declares: what they are about, and the fields that they cannot be
 * without, come from the decision, or are constants. */
#include "cli/check/check.h"

#include "avro/message.h"
#include "base/resource.h"
#include "config/key_file.h"
#include "config/nearest.h"

#include <string.h>

typedef struct {
  Check *check;
  const char *const *decided;
  const char *group, *outcome; /* `what removed`, `MemberRemoved` */
  const json_t *constants;
} Outcome;

/* `what  removed` is `what removed`. */
static gboolean
is_group (const char *section, const char *group)
{
  gsize len = strcspn (section, " \t");
  if (strncmp (section, group, len) != 0)
    return FALSE;
  const char *name = group + len;
  return g_str_equal (section + len + strspn (section + len, " \t"), name + (*name == ' '));
}

/* Where job.conf has KEY of the outcome's group, else where it names the outcome. */
static CheckPlace
place_of (const Outcome *outcome, const char *key)
{
  Check *check = outcome->check;
  char *path = g_build_filename (check->job->folder, "job.conf", NULL);
  g_ptr_array_add (check->texts, path);
  CheckPlace place = { path, 0 };
  g_autofree char *text = resource_text (path, NULL);
  g_autoptr (GPtrArray) entries
      = text != NULL ? key_file_parse (path, text, strlen (text), NULL) : NULL;
  for (guint i = 0; entries != NULL && i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (entry->key == NULL || !is_group (entry->section, outcome->group))
      continue;
    if (g_str_equal (entry->key, key))
      place.line = entry->line;
    else if (g_str_equal (entry->key, "outcome") && place.line == 0)
      place.line = entry->line;
  }
  return place;
}

static void
say_missing (const Outcome *outcome, const char *key, const char *what, const char *column)
{
  const char *meant = nearest_name (column, outcome->decided);
  check_error (outcome->check, CODE_CONFIG, "form", place_of (outcome, key), NULL,
               "[%s] %s: decide.sql returns no column '%s'%s%s%s", outcome->group, what, column,
               meant != NULL ? ", did you mean " : "", meant != NULL ? meant : "",
               meant != NULL ? "?" : "");
}

/* What every outcome has from its run. */
static gboolean
is_of_run (const char *field)
{
  return g_str_equal (field, "run_id") || g_str_equal (field, "step");
}

static void
check_outcome (const Outcome *outcome, const char *entity)
{
  g_autofree char *type = g_strconcat ("pruned.outcomes.", outcome->outcome, NULL);
  g_autofree char *what = g_strdup_printf ("outcome %s", outcome->outcome);
  const char *const *fields = message_fields (type);
  if (!g_strv_contains (outcome->decided, entity))
    say_missing (outcome, "entity", "entity", entity);
  for (guint i = 0; fields[i] != NULL; i++)
    if (message_needs (type, fields[i]) && !is_of_run (fields[i])
        && json_object_get (outcome->constants, fields[i]) == NULL
        && !g_strv_contains (outcome->decided, fields[i]))
      say_missing (outcome, "outcome", what, fields[i]);
}

void
check_outcomes (Check *check, const char *const *decided)
{
  const Job *job = check->job;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    g_autofree char *group = g_strconcat ("what ", what->word, NULL);
    const Outcome outcome = { check, decided, group, what->outcome, what->constants };
    if (what->outcome != NULL)
      check_outcome (&outcome, what->entity);
  }
  const Outcome failed = { check, decided, "failed", job->failed_outcome, job->failed_constants };
  if (job->failed_outcome != NULL)
    check_outcome (&failed, "key");
}
