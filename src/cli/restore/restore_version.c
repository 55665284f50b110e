#include "cli/restore/restore.h"

const Job *
restore_same_job (const Restore *restore, guint i)
{
  const Job *job = restore->jobs->pdata[i];
  const char *version = restore->versions->pdata[i];
  gboolean same
      = job != NULL && (job->built_in || version == NULL || g_strcmp0 (job->version, version) == 0);
  return same ? job : NULL;
}

/* A step of the run has ended. Only runs of built-in jobs and folders are older than versions are;
 * a run that is repeated by hand loses its version until its next step. */
static ExitCode
check_unversioned (const Restore *restore, guint i, const char *name, GError **error)
{
  const Job *job = restore->jobs->pdata[i];
  if (job != NULL && job->sentence == NULL)
    return CODE_OK;
  return cli_fail (CODE_NOT_FOUND, error,
                   "the version of %s with which run %s removed rows is not known, and so neither "
                   "is what else it did with them: use the audit (pruned.deletions) or a backup",
                   name, (char *)restore->runs->pdata[i]);
}

/* Steps of several versions have removed its rows, and the audit does not tell which row is of
 * which. */
static gboolean
is_mixed (const char *version, const char *earlier)
{
  g_auto (GStrv) all = g_strsplit (earlier != NULL ? earlier : "", ", ", -1);
  gboolean bound = job_version_is_bound (version), several = FALSE;
  for (char **one = all; *one != NULL; one++) {
    several |= !g_str_equal (*one, version);
    bound |= job_version_is_bound (*one);
  }
  return several && bound;
}

ExitCode
restore_check_version (const Restore *restore, guint i, const PgRows *rows, int row, GError **error)
{
  const char *name = rows_text (rows, row, "job");
  const Job *job = restore->jobs->pdata[i];
  const char *version = restore->versions->pdata[i];
  if (job != NULL && job->built_in)
    return CODE_OK;
  if (version == NULL)
    return rows_bool (rows, row, "begun") ? check_unversioned (restore, i, name, error) : CODE_OK;
  const char *earlier = rows_text (rows, row, "earlier");
  if (is_mixed (version, earlier))
    return cli_fail (
        CODE_NOT_FOUND, error,
        "run %s was done by several versions of %s (%s, then %s), and one of them did "
        "something that the audit does not record: use the audit (pruned.deletions) or a "
        "backup",
        (char *)restore->runs->pdata[i], name, earlier, version);
  if (!job_version_is_bound (version) || restore_same_job (restore, i) != NULL)
    return CODE_OK;
  g_autofree char *now = job != NULL ? g_strdup_printf ("version %s is in force", job->version)
                                     : g_strdup ("no such job is in force");
  return cli_fail (CODE_NOT_FOUND, error,
                   "run %s was done by version %s of %s, which did something that the audit does "
                   "not record, and %s: bring its section or folder back as it was then",
                   (char *)restore->runs->pdata[i], version, name, now);
}
