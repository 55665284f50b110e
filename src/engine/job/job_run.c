/* What a run takes from its job: arguments, key, slot, partition, labels. */
#include "base/uuid5.h"
#include "engine/job/consistency.h"
#include "engine/job/job.h"
#include "engine/job/job_conf.h"

#include <string.h>

char *
job_fill_template (const char *template, JobTemplateValue value, gconstpointer data)
{
  GString *text = g_string_new (NULL);
  for (const char *at = template; *at != '\0';) {
    const char *end = *at == '{' ? strchr (at, '}') : NULL;
    if (end == NULL) {
      g_string_append_c (text, *at++);
      continue;
    }
    g_autofree char *name = g_strndup (at + 1, end - at - 1);
    value (text, name, data);
    at = end + 1;
  }
  return g_string_free (text, FALSE);
}

gboolean
job_takes_argument (const Job *job, const char *argument)
{
  return g_strv_contains ((const char *const *)job->arguments, argument)
         || (g_strv_contains ((const char *const *)job->arguments, "*")
             && !g_str_equal (argument, "slot"));
}

gboolean
job_launches (const Job *job, const char *other)
{
  return g_strv_contains ((const char *const *)job->launches, other);
}

/* Numbers are written as PostgreSQL gives them back, for a key is also made of a run's row: what
 * has a positive exponent is an integer there. Others stay as they are. */
static void
append_number (GString *text, const json_t *value)
{
  g_autofree char *as_sent = json_text (value);
  const char *exponent = strpbrk (as_sent, "eE");
  const gboolean stays = json_exact (value) == NULL && (exponent == NULL || exponent[1] == '-');
  g_autofree char *numeric = stays ? NULL : json_numeric (as_sent);
  g_string_append (text, stays ? as_sent : numeric);
}

static void
append_argument (GString *text, const char *name, gconstpointer args)
{
  const json_t *value = json_object_get (args, name);
  if (json_is_string (value))
    g_string_append (text, json_string_value (value));
  else if (json_is_number (value) || json_exact (value) != NULL)
    append_number (text, value);
  else if (value != NULL)
    json_append (text, value);
}

char *
job_expand_key (const char *template, const json_t *args)
{
  if (template == NULL || *template == '\0')
    return NULL;
  return job_fill_template (template, append_argument, args);
}

guint
job_slot (const Job *job, const char *run_id, const json_t *args)
{
  const json_t *slot = json_object_get (args, "slot");
  if (json_is_integer (slot) && json_integer_value (slot) >= 0)
    return (guint)json_integer_value (slot);
  return uuid5_slot (run_id, (guint)job->capacity);
}

gint32
job_partitions (const Job *job)
{
  job = job_form (job, FORM_SAID);
  gint partitions = atomic_load (&job->partitions);
  return partitions > 0 ? partitions : job->capacity;
}

gint32
job_partition (const Job *job, guint slot)
{
  return (gint32)(slot % (guint)job_partitions (job));
}

gboolean
job_is_sticky (const Job *job)
{
  gboolean searches = job->sentence != NULL ? job->kind->rows : job->page != NULL;
  return searches && consistency_is_sticky (job->labels[LABEL_DATA_CONSISTENCY]);
}

json_t *
job_labels (const Job *job)
{
  json_t *labels = json_object ();
  for (guint i = 0; i < JOB_LABELS; i++)
    if (job->labels[i] != NULL)
      json_object_set_new (labels, job_label_names[i], json_string (job->labels[i]));
  return labels;
}
