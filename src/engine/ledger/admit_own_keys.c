/* The keys that a batch of messages names, asked for together; and what reading them shares with
 * admit_own.c. */
#include "engine/ledger/admit_own_keys.h"

#include "engine/job/sentence/own_event.h"
#include "engine/ledger/own_keys.h"

static gboolean
is_of_topic (const JobEvent *event, const char *topic)
{
  return event->own != NULL
         && (g_str_equal (event->own->topic, topic)
             || (event->cancel != NULL && g_str_equal (event->cancel->topic, topic)));
}

static gboolean
reads_topic (const Job *job, const char *topic)
{
  for (guint e = 0; job != NULL && e < job->events->len; e++)
    if (is_of_topic (job->events->pdata[e], topic))
      return TRUE;
  return FALSE;
}

gboolean
admit_own_takes (const Admission *admission, const char *topic)
{
  const Jobs *jobs = admission->jobs;
  gboolean takes = FALSE;
  for (guint i = 0; !takes && i < jobs_count (jobs); i++)
    takes = reads_topic (jobs_at (jobs, i), topic);
  for (guint i = 0; !takes && i < jobs_refused_count (jobs); i++)
    takes = reads_topic (jobs_refused_at (jobs, i)->job, topic);
  return takes;
}

MessageSource
admit_own_source (const KafkaMessage *message)
{
  return (MessageSource){ .value = message->value,
                          .value_len = message->value_len,
                          .headers = message->headers,
                          .n_headers = message->n_headers };
}

gboolean
admit_own_is_refusal (GError *cause, GError **error)
{
  if (cause->code == PRUNED_REJECT)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}

/* Notes the key that JOB would be asked for. Faults are told when the message is admitted. */
static gboolean
note_key (const Admission *admission, OwnEvent *own, const Job *job, const SentenceEvent *wanted,
          GError **error)
{
  gboolean fits = FALSE;
  GError *cause = NULL;
  g_auto (GStrv) parts = own_event_fits (own, wanted, &fits, &cause) && fits
                             ? own_event_key (own, wanted, &cause)
                             : NULL;
  if (parts != NULL)
    own_keys_note (admission->keys, job, parts);
  if (cause == NULL)
    return TRUE;
  gboolean ok = admit_own_is_refusal (cause, error);
  if (ok)
    g_error_free (cause);
  return ok;
}

static gboolean
note_keys_of_job (const Admission *admission, const char *topic, OwnEvent *own, const Job *job,
                  GError **error)
{
  for (guint e = 0; e < job->events->len; e++) {
    const JobEvent *event = job->events->pdata[e];
    const SentenceEvent *all[] = { event->own, event->own != NULL ? event->cancel : NULL };
    for (guint i = 0; i < G_N_ELEMENTS (all); i++)
      if (all[i] != NULL && g_str_equal (all[i]->topic, topic)
          && !note_key (admission, own, job, all[i], error))
        return FALSE;
  }
  return TRUE;
}

static gboolean
note_keys (const Admission *admission, const KafkaMessage *message, GError **error)
{
  g_auto (OwnEvent) own = { NULL };
  MessageSource source = admit_own_source (message);
  gboolean ok = TRUE;
  if (!own_event_open (&own, &source, NULL))
    return TRUE;
  for (guint i = 0; ok && i < jobs_count (admission->jobs); i++)
    ok = note_keys_of_job (admission, message->topic, &own, jobs_at (admission->jobs, i), error);
  return ok;
}

gboolean
admit_own_prepare (const Admission *admission, const KafkaMessage *message, GError **error)
{
  return !admit_own_takes (admission, message->topic) || note_keys (admission, message, error);
}
