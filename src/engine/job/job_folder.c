#include "engine/job/job_folder.h"

/* Without decide.sql every key is `removed`. */
static gboolean
removes (const Job *job, GError **error)
{
  gboolean has = job->decide != NULL;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    has |= g_str_equal (what->word, "removed") && what->apply->len > 0;
  }
  if (has)
    return TRUE;
  return error_fatal (error,
                      "%s/apply/removed: no file, and without decide.sql every key counts as "
                      "removed: it wants TABLE.sql, or the job wants decide.sql",
                      job->folder);
}

/* How WHAT counts as a change of rows; NULL: it does not. Runs that children.sql starts may do
 * what counts as updated. */
static const char *
counts_as (const Job *job, const JobWhat *what)
{
  static const char *const counters[] = { "removed", "changed", NULL };
  if (g_strv_contains (counters, what->counter))
    return what->counter;
  return what->counts_as_updated && job->code == NULL && job->children == NULL ? "updated" : NULL;
}

/* Rows count as removed or changed by what decide.sql says of them. So a file has to do it. */
static gboolean
does_what_counts (const Job *job, const JobWhat *what, GError **error)
{
  const char *counts = counts_as (job, what);
  if (what->apply->len > 0 || counts == NULL || (job->code != NULL && job->decide == NULL))
    return TRUE;
  return error_fatal (error, "%s/apply/%s: no file, and [what %s] counts rows as %s: it wants %s",
                      job->folder, what->word, what->word, counts,
                      g_str_equal (counts, "removed") ? "TABLE.sql" : "TABLE.update.sql");
}

gboolean
job_folder_is_whole (const Job *job, GError **error)
{
  if (job->code == NULL && !removes (job, error))
    return FALSE;
  for (guint i = 0; i < job->whats->len; i++)
    if (!does_what_counts (job, job->whats->pdata[i], error))
      return FALSE;
  return TRUE;
}
