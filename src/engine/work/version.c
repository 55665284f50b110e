#include "engine/work/version.h"

#include "engine/job/in_force.h"
#include "engine/job/sentence/sentence_again.h"
#include "engine/ledger/run_check.h"

#define WHY "blocked: begun with version "

/* JOB in the version that RUN began with; NULL: this process does not have it. */
static const Job *
version_of (const Run *run, const Job *job)
{
  gboolean any = run->version == NULL || job->built_in || job->version == NULL;
  if (any || g_str_equal (run->version, job->version))
    return job;
  return jobs_version (in_force_jobs (), job->name, run->version);
}

static char *
why (const Run *run, const Job *job)
{
  return g_strdup_printf (WHY "%s, and this process has %s: bring the old one back, or pruned "
                              "retry goes on with the new one",
                          run->version, job->version);
}

/* Logs only once that a run waits for a process. */
static void
tell (const Run *run, const Job *job)
{
  if (run->range_of == NULL && (run->error == NULL || !g_str_has_prefix (run->error, WHY)))
    log_warning ("Run began with a version of its job that this process does not have; it waits",
                 "job", job->name, "run_id", run->run_id, "begun", run->version, "here",
                 job->version, "remedy", "pruned retry, or pruned discard");
}

gboolean
version_sort_out (Claim *claim, const Job *job, GError **error)
{
  GString *ids = array_new (), *errors = array_new ();
  const guint before = claim->waits;
  for (guint i = claim->runs->len; i-- > 0;) {
    Run *run = claim->runs->pdata[i];
    const Job *begun = version_of (run, job);
    if (begun != NULL) {
      run->job = sentence_again_job (begun, run->args);
      run_check_asked (run);
      continue;
    }
    g_autofree char *reason = why (run, job);
    tell (run, job);
    array_add (ids, run->run_id);
    array_add (errors, reason);
    g_ptr_array_remove_index (claim->runs, i);
    claim->waits++;
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "error", array_take (errors));
  if (claim->waits == before)
    return TRUE;
  g_autoptr (PgRows) put_back
      = pg_run_file (claim->transaction.pg, "src/engine/work/sql/other_version.sql", values, error);
  return put_back != NULL;
}
