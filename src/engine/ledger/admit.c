#include "engine/ledger/admit.h"

#include "avro/identity.h"
#include "avro/message.h"
#include "base/clock.h"
#include "base/fault.h"
#include "engine/job/arguments.h"
#include "engine/job/in_force.h"
#include "engine/ledger/admit_add.h"
#include "engine/ledger/admit_own.h"
#include "engine/ledger/admit_own_keys.h"
#include "engine/ledger/timer.h"
#include "engine/service/envelope.h"

#include <string.h>
#include <unistd.h>

static char *
tick_refusal (const Admission *admission, const Job *job, gint64 scheduled_at_us, json_t *args,
              gsize args_len)
{
  char *reason = job_ticks_refusal (job);
  if (reason == NULL)
    reason = arguments_refusal (job, args, args_len);
  return reason != NULL ? reason : admit_time_refusal (admission, scheduled_at_us);
}

/* A time of the message: the field, or else the time that Kafka gave the message. */
static char *
read_time (const json_t *content, const char *field, gint64 otherwise_us, gint64 *us)
{
  const char *text = json_string_value (json_object_get (content, field));
  g_autoptr (GError) error = NULL;
  *us = otherwise_us;
  if (text == NULL || clock_parse (text, us, &error))
    return NULL;
  return g_strdup_printf ("undecodable: field %s: %s", field, error->message);
}

static char *
unknown_job (const Admission *admission, const char *name)
{
  const gboolean left_out = name != NULL && jobs_find_loaded (admission->jobs, name) != NULL;
  return g_strdup_printf (
      "unknown job %s: process %d on %s does not have it, nor has any other that runs; %s, then "
      "pruned dead retry",
      name, (int)getpid (), g_get_host_name (),
      left_out ? "its tables must be there, and [run] jobs must choose it (pruned doctor)"
               : "load it (pruned reload)");
}

/* *JOB: what takes the tick; NULL: nobody does. */
static gboolean
find_job (const Admission *admission, const char *name, const Job **job, GError **error)
{
  *job = name != NULL ? jobs_find (admission->jobs, name) : NULL;
  if (name != NULL && *job == NULL)
    *job = jobs_asked (admission->jobs, name);
  return name == NULL || *job != NULL || admission->elsewhere == NULL
         || elsewhere_find (admission->elsewhere, admission->pg, name, job, error);
}

static char *
add_tick (const Admission *admission, const Job *job, const KafkaMessage *message,
          const MessageDecoded *decoded, GArray *specs)
{
  gint64 at;
  g_autoptr (GError) error = NULL;
  gsize args_len = strlen (decoded->args_text);
  g_autoptr (json_t) args = json_parse_exact (decoded->args_text, args_len, &error);
  if (args == NULL)
    return g_strdup_printf ("undecodable: args: %s", error->message);
  char *reason = read_time (decoded->content, "scheduled_at", message->timestamp_ms * 1000, &at);
  if (reason == NULL)
    reason = tick_refusal (admission, job, at, args, args_len);
  /* Only now are the arguments of the key known to be there. */
  admit_add (specs, job, identity_tick (job->name, at, decoded->args_text), at, json_incref (args),
             reason == NULL ? job_expand_key (job->unique_key, args) : NULL);
  return reason;
}

static gboolean
admit_tick (const Admission *admission, const KafkaMessage *message, const MessageDecoded *decoded,
            GArray *specs, char **reason, GError **error)
{
  const char *name = json_string_value (json_object_get (decoded->content, "job"));
  const Job *job = NULL;
  if (!find_job (admission, name, &job, error))
    return FALSE;
  *reason = job != NULL ? add_tick (admission, job, message, decoded, specs)
                        : unknown_job (admission, name);
  return TRUE;
}

/* An event's fields are the arguments of the runs that it starts. */
static char *
event_refusal (const Admission *admission, gint64 at, const json_t *content)
{
  g_autofree char *text = json_text (content);
  char *reason = jobs_count (admission->jobs) > 0
                     ? arguments_size_refusal (in_force_config (), strlen (text))
                     : NULL;
  return reason != NULL ? reason : admit_time_refusal (admission, at);
}

static void
add_event (const KafkaMessage *message, const MessageDecoded *decoded, gint64 at, const Job *job,
           GArray *specs)
{
  const JobEvent *event = job_event (job, decoded->type);
  if (event == NULL)
    return;
  char *run_id = admit_run_id (message, decoded, decoded->type, job->name);
  const char *key = event->unique_key != NULL ? event->unique_key : job->unique_key;
  timer_prepare (event, admit_add (specs, job, run_id, at, json_deep_copy (decoded->content),
                                   job_expand_key (key, decoded->content)));
}

/* Also for jobs that only other processes have: their runs wait for such a process. */
static gboolean
admit_event (const Admission *admission, const KafkaMessage *message, const MessageDecoded *decoded,
             GArray *specs, char **reason, GError **error)
{
  gint64 at = decoded->ce_time_us != 0 ? decoded->ce_time_us : message->timestamp_ms * 1000;
  const GPtrArray *others = NULL;
  *reason = event_refusal (admission, at, decoded->content);
  for (guint i = 0; i < jobs_count (admission->jobs); i++)
    add_event (message, decoded, at, jobs_at (admission->jobs, i), specs);
  if (admission->elsewhere == NULL)
    return TRUE;
  if (!elsewhere_reading (admission->elsewhere, admission->pg, admission->jobs, message->topic,
                          &others, error))
    return FALSE;
  for (guint i = 0; i < others->len; i++)
    add_event (message, decoded, at, others->pdata[i], specs);
  return TRUE;
}

static MessageSource
source_of (const KafkaMessage *message, gboolean is_tick)
{
  return (MessageSource){ .value = message->value,
                          .value_len = message->value_len,
                          .headers = message->headers,
                          .n_headers = message->n_headers,
                          .type = is_tick ? "pruned.Tick" : NULL,
                          .space = is_tick ? "pruned.Tick" : "pruned.events.",
                          .is_registered = TRUE };
}

static gboolean
admit_ours (const Admission *admission, const KafkaMessage *message, gboolean is_tick,
            GArray *specs, char **reason, GError **error)
{
  const MessageSource source = source_of (message, is_tick);
  MessageDecoded decoded = { 0 };
  g_autoptr (GError) cause = NULL;
  gboolean ok = TRUE;
  if (!message_decode (&source, &decoded, &cause)) {
    if (cause->code == PRUNED_OUTAGE)
      g_propagate_error (error, g_steal_pointer (&cause));
    else
      *reason = g_strdup (cause->message);
    return *reason != NULL;
  }
  if (is_tick)
    ok = admit_tick (admission, message, &decoded, specs, reason, error);
  else
    ok = admit_event (admission, message, &decoded, specs, reason, error);
  message_decoded_clear (&decoded);
  return ok;
}

gboolean
admit_prepare (const Admission *admission, KafkaMessage *const *messages, guint n, GError **error)
{
  const gint64 until_us = admission->together_us != 0 ? admission->together_us : G_MAXINT64;
  for (guint i = 0; i < n && clock_monotonic_us () < until_us; i++)
    if (!admit_own_prepare (admission, messages[i], error))
      return FALSE;
  return own_keys_ask (admission->keys, until_us, error);
}

gboolean
admit_message (const Admission *admission, const KafkaMessage *message, gboolean is_tick,
               GArray *specs, Admitted *out, GError **error)
{
  *out = (Admitted){ origin_refusal (message) };
  if (out->reason != NULL)
    return TRUE;
  if (!is_tick && admit_own_takes (admission, message->topic))
    return admit_own (admission, message, specs, out, error);
  return admit_ours (admission, message, is_tick, specs, &out->reason, error);
}
