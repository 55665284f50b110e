#include "engine/ledger/admit_add.h"

#include "avro/identity.h"
#include "base/fault.h"
#include "engine/job/in_force.h"

#define AHEAD_US (24 * G_TIME_SPAN_HOUR)

char *
admit_time_refusal (const Admission *admission, gint64 scheduled_at_us)
{
  if (scheduled_at_us > admission->now_us + AHEAD_US)
    return g_strdup ("scheduled_at in the future: more than 24 h ahead");
  gint64 least_us = admission->least_us != 0 ? admission->least_us : admission->now_us;
  if (scheduled_at_us < least_us - admission->keep_us)
    return g_strdup ("too old: before what [runs] keep_days keeps");
  return NULL;
}

/* A header `id` that is that of a row is one for a request and its withdrawal: they differ by the
 * event's name. */
char *
admit_run_id (const KafkaMessage *message, const MessageDecoded *identity, const char *event,
              const char *job)
{
  if (identity->id_is_plain) {
    g_autofree char *source = g_strdup_printf ("%s/%s", message->topic, event);
    return identity_event (source, identity->ce_id, job);
  }
  return identity->ce_id != NULL && identity->ce_source != NULL
             ? identity_event (identity->ce_source, identity->ce_id, job)
             : identity_event_position (message->topic, message->partition, message->offset,
                                        message->timestamp_ms, job);
}

RunSpec *
admit_add (GArray *specs, const Job *job, char *run_id, gint64 scheduled_at_us, json_t *args,
           char *unique_key)
{
  RunSpec spec = { .run_id = run_id,
                   .job = job,
                   .scheduled_at_us = scheduled_at_us,
                   .due_at_us = scheduled_at_us,
                   .unique_key = unique_key,
                   .late_key = TRUE,
                   .args = args };
  if (job->refused != NULL) {
    spec.state = "finished";
    spec.error = g_strdup (job->refused);
  } else if (job->only_named) {
    spec.error = g_strdup (ADMIT_ELSEWHERE);
  } else if (!in_force_of (job)->enabled) {
    spec.state = "skipped";
    spec.error = g_strdup (PLACE_DISABLED);
  }
  FAULT_ABOUT ("intake.decoded", run_id);
  g_array_append_val (specs, spec);
  return &g_array_index (specs, RunSpec, specs->len - 1);
}
