#include "engine/ledger/place_refused.h"

#include "avro/identity.h"
#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"
#include "engine/ledger/named_row.h"
#include "engine/outbox/publish.h"

#define RECORD "RunFinished"

/* A refused job has no lane: the outcome is left to that of another job. */
static gboolean
leave_outcome (Pg *pg, const RunSpec *spec, GError **error)
{
  const Jobs *jobs = in_force_jobs ();
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  if (jobs_count (jobs) == 0)
    return TRUE;
  g_autofree char *topic = g_strconcat (prefix, ".outcomes", NULL);
  g_autofree char *ce_id = identity_outcome (spec->run_id, 0, RECORD, spec->run_id);
  g_autoptr (json_t) result = json_pack ("{s:s, s:s}", "status", "blocked", "reason", spec->error);
  g_autofree char *text = json_text (result);
  g_autoptr (Bundle) bundle = bundle_new (spec->run_id, JOURNAL_STEP, jobs_at (jobs, 0)->name, 0);
  const char *fields[] = { spec->run_id, "0", spec->job->name, spec->state, text, spec->error };
  bundle_add (bundle, topic, -1, spec->run_id, "pruned.outcomes." RECORD, ce_id, fields);
  return publish_leave (pg, bundle, error);
}

/* The event of a disabled job came because another job reads its topic. */
static gboolean
leave_answer (Pg *pg, const RunSpec *spec, GError **error)
{
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  const Run run
      = { .run_id = spec->run_id, .job = spec->job, .args = spec->args, .context = spec->context };
  const NamedEnd disabled = { PLACE_DISABLED, "failed", PLACE_DISABLED };
  return named_row_leave (pg, &run, prefix, spec->withdrawn ? named_row_withdrawn : disabled,
                          error);
}

gboolean
place_refused (Pg *pg, const GArray *specs, GError **error)
{
  GString *ids = array_new ();
  gboolean any = FALSE, ok = TRUE;
  for (guint i = 0; ok && i < specs->len; i++) {
    const RunSpec *spec = &g_array_index (specs, RunSpec, i);
    if (spec->placed == PLACED_SKIPPED
        && (spec->withdrawn || g_strcmp0 (spec->error, PLACE_DISABLED) == 0))
      ok = leave_answer (pg, spec, error);
    if (spec->placed != PLACED_SKIPPED || g_strcmp0 (spec->state, "finished") != 0)
      continue;
    array_add (ids, spec->run_id);
    any = TRUE;
    ok = leave_outcome (pg, spec, error);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  if (!any || !ok)
    return ok;
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/ledger/sql/place_refused.sql", values, error);
  return rows != NULL;
}
