#include "cli/jobs_show.h"
#include "cli/job_left.h"

#include "engine/view/job_files.h"

#include <errno.h>
#include <glib/gstdio.h>

/* BEYOND: what no folder can do. */
static ExitCode
refuse_folder (const Job *job, const char *beyond, GError **error)
{
  return cli_fail (CODE_CONFIG, error,
                   "%s: no folder can take the place of [retention %s]. Keep the section; without "
                   "--to its SQL is printed, to be read",
                   beyond, job->name);
}

static gboolean
write_file (const char *folder, const JobFile *file, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file->path, NULL),
                  *parent = g_path_get_dirname (path);
  if (g_mkdir_with_parents (parent, 0777) == 0)
    return g_file_set_contents (path, file->text, -1, error);
  return error_fatal (error, "%s: %s", parent, g_strerror (errno));
}

static ExitCode
write_files (Cli *cli, const Job *job, const GPtrArray *files, const char *to, GError **error)
{
  g_autofree char *folder = g_build_filename (to, job->name, NULL);
  if (g_file_test (folder, G_FILE_TEST_EXISTS))
    return cli_fail (CODE_CONFIG, error, "%s exists already", folder);
  for (guint i = 0; i < files->len; i++)
    if (!write_file (folder, files->pdata[i], error))
      return CODE_USAGE;
  output_say (cli->out, "%s", folder);
  return CODE_OK;
}

static void
print_files (Cli *cli, const GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++) {
    const JobFile *file = files->pdata[i];
    g_autoptr (json_t) object = json_pack ("{s:s, s:s}", "file", file->path, "text", file->text);
    g_autofree char *text = g_strchomp (g_strdup (file->text));
    output_object (cli->out, object);
    output_say (cli->out, "%s-- file: %s\n%s", i > 0 ? "\n" : "", file->path, text);
  }
}

ExitCode
jobs_show (Cli *cli, const char *name, const char *to, GError **error)
{
  const Job *job = job_left_find (cli, name, error);
  if (job == NULL)
    return CODE_NOT_FOUND;
  if (job->refused == NULL && job_only_starts (job)) {
    g_autofree char *names = g_strjoinv (", ", job->launches);
    return cli_usage (error, "%s has no SQL: show its jobs: %s", job->name, names);
  }
  g_auto (JobFiles) files = { 0 };
  g_autoptr (Pg) pg = job->sentence != NULL && job->refused == NULL ? cli_pg (cli, error) : NULL;
  if (job->sentence != NULL && job->refused == NULL && pg == NULL)
    return CODE_POSTGRES;
  if (!job_files_read (&files, pg, job, error))
    return pg != NULL ? cli_pg_failed (pg, error) : CODE_USAGE;
  if (files.refusal != NULL)
    return cli_fail (CODE_CONFIG, error, "%s", files.refusal);
  if (to != NULL && files.beyond != NULL)
    return refuse_folder (job, files.beyond, error);
  if (to != NULL)
    return write_files (cli, job, files.all, to, error);
  print_files (cli, files.all);
  return CODE_OK;
}
