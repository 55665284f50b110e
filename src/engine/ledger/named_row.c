#include "engine/ledger/named_row.h"

#include "avro/identity.h"

#define RECORD "RowProcessed"

static const char *
key_of (const Run *run)
{
  const JobEvent *event = job_event_of (run->job, run->args);
  gboolean is_named = run->named_table != NULL || (event != NULL && event->own != NULL);
  return is_named ? json_string_value (json_object_get (run->args, JOB_EVENT_KEY)) : NULL;
}

void
named_row_failed (Bundle *bundle, const Run *run, const char *prefix, const char *how,
                  const char *reason)
{
  const char *key = key_of (run);
  if (key == NULL)
    return;
  g_autofree char *topic = g_strconcat (prefix, ".outcomes", NULL),
                  *step = g_strdup_printf ("%d", run->step),
                  *entity = g_strconcat (key, "/", how, NULL),
                  *ce_id = identity_outcome (run->run_id, run->step, RECORD, entity);
  const char *table = run->job->table != NULL    ? run->job->table
                      : run->named_table != NULL ? run->named_table
                                                 : ""; /* its job is refused */
  const char *fields[] = { run->run_id, step, run->job->name, table, key, "failed", reason };
  bundle_add (bundle, topic, -1, key, "pruned.outcomes." RECORD, ce_id, fields);
}
