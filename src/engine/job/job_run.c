/* What a run takes from its job: arguments, key, slot, partition, labels, its form; and whether it
 * is of a tick or of a row. */
#include "base/uuid5.h"
#include "engine/job/consistency.h"
#include "engine/job/job.h"

#include <string.h>

static const char *const LABELS[JOB_LABELS]
    = { "worker", "feature_category", "data_consistency", "idempotent" };

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
      json_object_set_new (labels, LABELS[i], json_string (job->labels[i]));
  return labels;
}

/* --- the forms of a job that is a sentence --- */

const Job *
job_form (const Job *job, JobForm form)
{
  return job->forms != NULL ? job->forms[form] : form == job->form ? job : NULL;
}

const Job *
job_form_next (const Job *job)
{
  return job->form == FORM_WHERE || job->form == FORM_KNOWN ? job_form (job, job->form + 1) : NULL;
}

const Job *
job_form_portion (const Job *job)
{
  return job->form >= FORM_WHERE && job->form < FORM_PORTION
             ? job_form (job, job->form - FORM_WHERE + FORM_PORTION)
             : NULL;
}

gboolean
job_goes_by_rows (const Job *job)
{
  return job->form > FORM_WHERE && job->form != FORM_PORTION;
}

/* --- ticks and events --- */

gboolean
job_names_rows (const Job *job)
{
  return job->on != NULL && job->on[0] != NULL;
}

char *
job_ticks_refusal (const Job *job)
{
  const Sentence *sentence = job->sentence;
  if (job->by_tick)
    return NULL;
  if (!job_names_rows (job)
      || (sentence != NULL ? !sentence_has_pages (sentence) : job->page == NULL))
    return g_strdup_printf ("job %s takes no ticks", job->name);
  if (sentence != NULL && sentence->ticks == SENTENCE_TICKS_OFF)
    return g_strdup_printf ("job %s takes no ticks (ticks = off)", job->name);
  return g_strdup_printf (
      "job %s takes no ticks: its runs are about the rows that events name (on); "
      "with %s a tick would take all rows of %s",
      job->name,
      sentence != NULL ? "a schedule in its section, or with ticks = on,"
                       : "tick among the `starts` of its job.conf",
      sentence != NULL ? "its condition" : "page.sql");
}

gboolean
job_only_names_rows (const Job *job)
{
  return job_names_rows (job) && !job->by_tick;
}
