#include "engine/ledger/erasure_end.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/ledger/admit_own_args.h"

#define RECORD "ErasureFinished"

gboolean
erasure_end_is_of (const Run *run)
{
  return json_is_plain_object (json_object_get (run->args, JOB_ERASURE_VALUES));
}

void
erasure_end_tell (Bundle *bundle, const Run *run, const char *prefix, const ErasureEnd *end)
{
  g_autofree char *key = admit_own_named (run->args);
  if (key == NULL || in_force_outcomes (run->job->name) == OUTCOMES_NONE)
    return;
  g_autofree char *t = run->scheduled_at_us != 0 ? clock_format (run->scheduled_at_us) : NULL,
                  *topic = g_strconcat (prefix, ".outcomes", NULL),
                  *step = g_strdup_printf ("%d", run->step),
                  *entity = g_strconcat (key, end->how != NULL ? "/" : NULL, end->how, NULL),
                  *ce_id = identity_outcome (run->run_id, run->step, RECORD, entity),
                  *tables = end->tables != NULL ? json_text (end->tables) : g_strdup ("[]");
  const char *fields[] = { run->run_id,
                           step,
                           run->job->name,
                           key,
                           end->what,
                           end->reason,
                           tables,
                           run_event_text (run, RUN_EVENT_ID),
                           run_event_text (run, RUN_EVENT_SOURCE),
                           t };
  bundle_add (bundle, topic, -1, key, "pruned.outcomes." RECORD, ce_id, fields);
}
