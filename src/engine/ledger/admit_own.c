#include "engine/ledger/admit_own.h"

#include "engine/job/arguments.h"
#include "engine/job/in_force.h"
#include "engine/job/job_erasure.h"
#include "engine/job/sentence/own_event.h"
#include "engine/ledger/admit_add.h"
#include "engine/ledger/admit_erasure.h"
#include "engine/ledger/admit_own_args.h"
#include "engine/ledger/admit_own_keys.h"
#include "engine/ledger/own_keys.h"
#include "engine/ledger/timer.h"

#include <string.h>

#define EVENT "event " /* the name of a refused section begins so */

/* One message on its way to specs. */
typedef struct {
  const Admission *admission;
  const KafkaMessage *message;
  OwnEvent *own;
  GArray *specs;
  guint n_before;      /* specs of other messages */
  gboolean fits;       /* some event */
  char *reason;        /* the message itself is refused; NULL: it is not so far */
  GPtrArray *refusals; /* of char: why jobs refuse it */
  GPtrArray *refusing; /* of Job, alike; NULL: it is the event that is refused */
} Reading;

/* An error that is the message's own becomes the reason why it is refused. */
static void
refuse (Reading *reading, GError *cause)
{
  reading->reason = message_printable (cause->message);
  g_error_free (cause);
}

/* Other jobs may take it. Takes REASON. */
static void
refuse_for (Reading *reading, const Job *job, char *reason)
{
  g_ptr_array_add (reading->refusals, reason);
  g_ptr_array_add (reading->refusing, (gpointer)job);
}

static void
refuse_for_error (Reading *reading, const Job *job, GError *cause)
{
  refuse_for (reading, job, message_printable (cause->message));
  g_error_free (cause);
}

/* The jobs are named if they do not all say the same. */
static char *
refusal_of (const Reading *reading)
{
  GString *out = g_string_new (NULL);
  const char *first = reading->refusals->len > 0 ? reading->refusals->pdata[0] : NULL;
  gboolean alike = reading->specs->len == reading->n_before;
  for (guint i = 0; i < reading->refusals->len; i++)
    alike = alike && g_str_equal (reading->refusals->pdata[i], first);
  for (guint i = 0; i < reading->refusals->len && !(alike && i > 0); i++) {
    g_string_append_printf (out, "%s%s", i > 0 ? "; " : "", (char *)reading->refusals->pdata[i]);
    if (!alike && reading->refusing->pdata[i] != NULL)
      g_string_append_printf (out, " (job %s)", ((Job *)reading->refusing->pdata[i])->name);
  }
  return g_string_free (out, first == NULL);
}

/* --- the key --- */

/* *ARGS: of the run, with the key as page.sql writes it; NULL with a reason: it is none. */
static gboolean
read_key (Reading *reading, const Job *job, const SentenceEvent *event, json_t **args,
          GError **error)
{
  GError *cause = NULL;
  g_autofree char *key = NULL;
  const SentenceEvent *erasure = job_erasure (job);
  *args = NULL;
  if (erasure != NULL
      && (*args = admit_erasure (reading->admission, reading->own, erasure, event, &cause)) != NULL)
    return TRUE;
  g_auto (GStrv) parts = cause == NULL ? own_event_key (reading->own, event, &cause) : NULL;
  if (parts == NULL) {
    if (!admit_own_is_refusal (cause, error))
      return FALSE;
    refuse_for_error (reading, job, cause);
    return TRUE;
  }
  if (!own_keys_find (reading->admission->keys, job, parts, &key, &cause)) {
    if (!admit_own_is_refusal (cause, error))
      return FALSE;
    g_autofree char *paths = g_strjoinv (", ", event->key);
    g_prefix_error (&cause, "undecodable: key %s: ", paths);
    refuse_for_error (reading, job, cause);
    return TRUE;
  }
  *args = admit_own_args (event, parts, key);
  return TRUE;
}

/* --- the run --- */

/* NULL: the event has neither. */
static json_t *
event_of (const MessageDecoded *identity)
{
  return identity->ce_id == NULL && identity->ce_source == NULL
             ? NULL
             : json_pack ("{s:s*, s:s*}", RUN_EVENT_ID, identity->ce_id, RUN_EVENT_SOURCE,
                          identity->ce_source);
}

static void
add_run (Reading *reading, const Job *job, const JobEvent *event, gboolean cancels, json_t *args)
{
  GError *cause = NULL;
  MessageDecoded identity = { NULL };
  const SentenceEvent *named = cancels ? event->cancel : event->own;
  if (own_event_identity (reading->own, named, &identity, &cause)) {
    gint64 at = reading->message->timestamp_ms * 1000;
    at = identity.ce_time_us != 0 ? identity.ce_time_us : at;
    g_autofree char *key = admit_own_named (args);
    g_autofree char *name = identity.id_is_of_value ? g_strdup_printf ("%s/%s", named->name, key)
                                                    : g_strdup (named->name);
    RunSpec *spec = admit_add (reading->specs, job,
                               admit_run_id (reading->message, &identity, name, job->name), at,
                               json_incref (args), job_expand_key (event->unique_key, args));
    spec->state = job->refused != NULL ? NULL : spec->state; /* it waits for the job */
    spec->context = event_of (&identity);
    spec->named_table = g_strdup (job->table != NULL ? job->table : "");
    timer_prepare (event, spec);
    spec->cancels = cancels && spec->timer;
    reading->reason = admit_time_refusal (reading->admission, at);
  } else
    refuse (reading, cause);
  message_decoded_clear (&identity);
}

/* The message as WANTED, which starts (or cancels) a run of JOB. */
static gboolean
take_as (Reading *reading, const Job *job, const JobEvent *event, const SentenceEvent *wanted,
         GError **error)
{
  gboolean fits = FALSE, cancels = wanted == event->cancel;
  GError *cause = NULL;
  g_autoptr (json_t) args = NULL;
  g_autofree char *due = NULL;
  if (reading->reason != NULL || wanted == NULL
      || !g_str_equal (wanted->topic, reading->message->topic))
    return TRUE;
  if (!own_event_fits (reading->own, wanted, &fits, &cause)) {
    if (!admit_own_is_refusal (cause, error))
      return FALSE;
    refuse (reading, cause);
    return TRUE;
  }
  if (!fits)
    return TRUE;
  reading->fits = TRUE;
  if (!read_key (reading, job, wanted, &args, error))
    return FALSE;
  if (args == NULL)
    return TRUE;
  if (!cancels && !own_event_due (reading->own, wanted, &due, &cause)) {
    refuse_for_error (reading, job, cause);
    return TRUE;
  }
  if (due != NULL)
    json_object_set_new (args, event->due, json_string (due));
  g_autofree char *text = json_text (args);
  char *too_large = arguments_size_refusal (in_force_config (), strlen (text));
  if (too_large != NULL)
    refuse_for (reading, job, too_large);
  else
    add_run (reading, job, event, cancels, args);
  return TRUE;
}

/* Several sections of JOB fit, whose runs begin at START. If they do not ask for the same, it is
 * not known which one is meant: a row may be named, or its request and its withdrawal at once. */
static void
settle_sections (Reading *reading, const Job *job, guint start)
{
  gboolean alike = TRUE;
  const RunSpec *specs = (const RunSpec *)(void *)reading->specs->data;
  for (guint i = start + 1; i < reading->specs->len; i++)
    alike = alike && specs[i].cancels == specs[start].cancels
            && json_equal (specs[i].args, specs[start].args);
  if (!alike)
    refuse_for (reading, job,
                g_strdup ("undecodable: it fits several [event] sections that name other rows or"
                          " times, or its request and its withdrawal"));
  if (reading->specs->len > start)
    g_array_set_size (reading->specs, alike ? start + 1 : start);
}

static gboolean
take_for (Reading *reading, const Job *job, GError **error)
{
  const guint start = reading->specs->len;
  for (guint e = 0; e < job->events->len; e++) {
    const JobEvent *event = job->events->pdata[e];
    if (event->own != NULL && !event->by_erasure
        && (!take_as (reading, job, event, event->own, error)
            || !take_as (reading, job, event, event->cancel, error)))
      return FALSE;
  }
  settle_sections (reading, job, start);
  return TRUE;
}

/* Jobs that only other processes have: their runs wait for such a process. */
static gboolean
take_for_others (Reading *reading, GError **error)
{
  const GPtrArray *others = NULL;
  const Admission *admission = reading->admission;
  if (admission->elsewhere == NULL)
    return TRUE;
  if (!elsewhere_reading (admission->elsewhere, admission->pg, admission->jobs,
                          reading->message->topic, &others, error))
    return FALSE;
  for (guint i = 0; i < others->len; i++)
    if (!take_for (reading, others->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
take_all (Reading *reading, GError **error)
{
  const Jobs *jobs = reading->admission->jobs;
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (!take_for (reading, jobs_at (jobs, i), error))
      return FALSE;
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const JobRefused *refused = jobs_refused_at (jobs, i);
    if (refused->job != NULL && jobs_find (jobs, refused->name) == NULL
        && !take_for (reading, refused->job, error))
      return FALSE;
  }
  return take_for_others (reading, error);
}

/* Messages of an [event] section that is refused: nobody can read their keys. */

/* After a reload a job goes on with the event as it was. */
static gboolean
is_read_still (const Jobs *jobs, const char *name)
{
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (guint e = 0; e < job->events->len; e++) {
      const JobEvent *event = job->events->pdata[e];
      if (event->own != NULL
          && (g_str_equal (event->own->name, name)
              || (event->cancel != NULL && g_str_equal (event->cancel->name, name))))
        return TRUE;
    }
  }
  return FALSE;
}

/* A message without a type can be anything of its topic. */
static gboolean
can_be (const JobRefused *refused, const char *name, const char *topic, const OwnEvent *own,
        gboolean fits)
{
  if (refused->topic != NULL && !g_str_equal (refused->topic, topic))
    return FALSE;
  if (own->type != NULL)
    return own_event_type_is (own->type, refused->type != NULL ? refused->type : name);
  return refused->topic != NULL && !fits && own->source->value_len > 0;
}

/* Why OWN, a message of TOPIC, is a dead letter because it is one of the event that REFUSED is
 * about. FITS: it is one of another event. NULL: it is not. g_free it. */
static char *
admit_own_refused (const Jobs *jobs, const JobRefused *refused, const char *topic,
                   const OwnEvent *own, gboolean fits)
{
  const char *name = refused->name + strlen (EVENT);
  if (!g_str_has_prefix (refused->name, EVENT) || !can_be (refused, name, topic, own, fits)
      || is_read_still (jobs, name))
    return NULL;
  return g_strdup_printf ("[event %s] is refused: %s: %s", name, refused->place, refused->reason);
}

static void
look_for_refused_events (Reading *reading)
{
  const Jobs *jobs = reading->admission->jobs;
  const char *topic = reading->message->topic;
  gboolean fits = reading->fits;
  for (guint i = 0; reading->reason == NULL && i < jobs_refused_count (jobs); i++) {
    char *reason = admit_own_refused (jobs, jobs_refused_at (jobs, i), topic, reading->own, fits);
    if (reason != NULL)
      refuse_for (reading, NULL, reason);
  }
}

gboolean
admit_own (const Admission *admission, const KafkaMessage *message, GArray *specs, Admitted *out,
           GError **error)
{
  g_auto (OwnEvent) own = { NULL };
  MessageSource source = admit_own_source (message);
  g_autoptr (GPtrArray) refusals = g_ptr_array_new_with_free_func (g_free),
                        refusing = g_ptr_array_new ();
  Reading reading = { .admission = admission,
                      .message = message,
                      .own = &own,
                      .specs = specs,
                      .n_before = specs->len,
                      .refusals = refusals,
                      .refusing = refusing };
  GError *cause = NULL;
  if (!own_event_open (&own, &source, &cause))
    refuse (&reading, cause);
  gboolean ok = reading.reason != NULL || take_all (&reading, error);
  look_for_refused_events (&reading);
  out->in_part = reading.reason == NULL && refusals->len > 0 && specs->len > reading.n_before;
  out->reason = reading.reason != NULL ? reading.reason : refusal_of (&reading);
  out->passed_over = ok && out->reason == NULL && !reading.fits;
  return ok;
}
