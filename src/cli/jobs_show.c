#include "cli/jobs_show.h"
#include "cli/job_left.h"

#include "base/resource.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/job_conf.h"
#include "engine/job/job_folder.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>

typedef struct {
  char *path, *text;
} File;

static void
file_free (gpointer data)
{
  File *file = data;
  g_free (file->path);
  g_free (file->text);
  g_free (file);
}

static void
add (GPtrArray *files, const char *path, char *text)
{
  File *file = g_new0 (File, 1);
  *file = (File){ g_strdup (path), text };
  g_ptr_array_add (files, file);
}

/* --- a folder --- */

/* A function in C asks for files by name. */
static gboolean
asks_by_name (const Job *job)
{
  return !job->kind->pages || (job->code != NULL && job->code->plan != NULL);
}

/* What only other files include stands in these. */
static gboolean
is_shown (const Job *job, const char *path)
{
  return g_str_equal (path, "job.conf") || job_folder_reads (path)
         || (asks_by_name (job) && g_str_has_suffix (path, ".sql"));
}

/* BELOW: with a slash at its end, or empty. */
static gboolean
read_folder (const Job *job, const char *below, GPtrArray *files, GError **error)
{
  g_autofree char *folder = g_build_filename (job->folder, below, NULL);
  g_auto (GStrv) names = resource_list (folder, error);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *path = g_strconcat (below, names[i], NULL),
                    *full = g_build_filename (job->folder, path, NULL);
    if (g_str_has_suffix (names[i], "/")) {
      if (!read_folder (job, path, files, error))
        return FALSE;
      continue;
    }
    if (!is_shown (job, path))
      continue;
    char *text = g_str_has_suffix (names[i], ".sql") ? resource_sql (full, error)
                                                     : resource_text (full, error);
    if (text == NULL)
      return FALSE;
    add (files, path, text);
  }
  return names != NULL;
}

/* --- a sentence --- */

static void
add_settings (const Job *job, GString *conf)
{
  g_auto (GStrv) keys = g_key_file_get_keys (job->conf, "job", NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++) {
    g_autofree char *value = g_key_file_get_value (job->conf, "job", keys[i], NULL);
    if (job_reads (job, keys[i]))
      g_string_append_printf (conf, "%s = %s\n", keys[i], value);
  }
}

/* The [event] sections stay where they are. */
static void
add_events (const Job *job, GString *conf)
{
  g_autofree char *names = g_strjoinv ("; ", job->on);
  if (job_names_rows (job))
    g_string_append_printf (conf, "on = %s\n", names);
}

/* Why no folder can do what the sentence says; NULL: one can. */
static const char *
beyond_files (const Job *job)
{
  if (job->kind->beyond != NULL)
    return job->kind->beyond;
  if (job->sentence->by != NULL)
    return "SQL files find no rows by the columns that an event names";
  if (job->sentence->portion > 0)
    return "SQL files remove no rows in portions before their own (children_portion)";
  return NULL;
}

/* Its folders are those of a job, whatever a table is called. */
static gboolean
is_safe (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  gboolean safe = strlen (name) + strlen (".sql") <= NAME_MAX;
  guint folders = 0;
  for (const char *p = path; *p != '\0'; p++) {
    folders += *p == '/';
    safe = safe && !g_ascii_iscntrl (*p);
  }
  const guint most = g_str_has_prefix (path, "apply/")                                          ? 2
                     : g_str_has_prefix (path, "lock/") || g_str_has_prefix (path, "restored/") ? 1
                                                                                                : 0;
  return safe && folders <= most;
}

/* Why no folder can have the files of WRITTEN; NULL: one can. */
static const char *
beyond_names (const Written *written)
{
  for (guint i = 0; i < written->files->len; i++)
    if (!is_safe (((const WrittenFile *)written->files->pdata[i])->path))
      return "the name of a table cannot be that of a file";
  return NULL;
}

/* What a folder says besides its SQL. */
static char *
conf_of (const Job *job, const Written *written)
{
  GString *conf = g_string_new (NULL);
  const char *beyond = beyond_files (job), *table = written->tables->pdata[0];
  g_auto (GStrv) parts = g_strsplit (table, "\\", -1);
  g_autofree char *escaped = g_strjoinv ("\\\\", parts);
  if (beyond == NULL)
    beyond = beyond_names (written);
  if (beyond != NULL)
    g_string_append_printf (
        conf, "# As `pruned jobs show` wrote it for [retention %s]. It can only be read: %s.\n",
        job->name, beyond);
  else
    g_string_append_printf (
        conf, "# As `pruned jobs show` wrote it for [retention %s], in whose place it can stand.\n",
        job->name);
  g_string_append_printf (conf, "[job]\n%stable = %s\nunique_key = %s\n",
                          job->by_tick ? "starts = tick\n" : "", escaped, job->name);
  add_events (job, conf);
  if (job->audit != NULL)
    g_string_append_printf (conf, "audit = %s\n", job->audit);
  if (job->sentence->record != NULL) {
    g_autofree char *columns = g_strjoinv ("; ", job->sentence->record);
    g_string_append_printf (conf, "record = %s\n", columns);
  }
  if (job->sentence->consistency != NULL)
    g_string_append_printf (conf, "data_consistency = %s\n", job->sentence->consistency);
  g_string_append (conf, "follows = cascade; set null; set default\ncursor = ");
  for (guint i = 0; i < written->cursor->len; i++)
    g_string_append_printf (conf, "%sk%u %s null", i > 0 ? "; " : "", i + 1,
                            (char *)written->cursor->pdata[i]);
  g_string_append_c (conf, '\n');
  add_settings (job, conf);
  g_string_append_printf (
      conf, "\n[what %s]\ncounts_as_updated = true\n\n[what kept]\n\n[what gone]\n", written->word);
  return g_string_free (conf, FALSE);
}

/* BEYOND: what no folder can do. */
static ExitCode
refuse_folder (const Job *job, const char *beyond, GError **error)
{
  return cli_fail (CODE_CONFIG, error,
                   "%s: no folder can take the place of [retention %s]. Keep the section; without "
                   "--to its SQL is printed, to be read",
                   beyond, job->name);
}

static ExitCode
read_sentence (Cli *cli, const Job *job, gboolean printed, GPtrArray *files, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autofree char *refusal = NULL;
  g_autoptr (Written) written
      = pg_begin_read_only (pg, error) ? job_write (pg, job, &refusal, error) : NULL;
  pg_rollback (pg);
  if (refusal != NULL)
    return cli_fail (CODE_CONFIG, error, "%s", refusal);
  if (written == NULL)
    return cli_pg_failed (pg, error);
  const char *beyond = printed ? NULL : beyond_names (written);
  if (beyond != NULL)
    return refuse_folder (job, beyond, error);
  if (job->sentence->bucket == NULL)
    add (files, "job.conf", conf_of (job, written));
  for (guint i = 0; i < written->files->len; i++) {
    WrittenFile *file = written->files->pdata[i];
    g_autofree char *path = g_strconcat (file->path, ".sql", NULL);
    add (files, path, g_strdup (file->text));
  }
  return CODE_OK;
}

/* --- where they go --- */

static gboolean
write_file (const char *folder, const File *file, GError **error)
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
    const File *file = files->pdata[i];
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
  if (job->refused != NULL)
    return cli_fail (CODE_CONFIG, error, "job %s is %s", job->name, job->refused);
  if (job_only_starts (job)) {
    g_autofree char *names = g_strjoinv (", ", job->launches);
    return cli_usage (error, "%s has no SQL: show its jobs: %s", job->name, names);
  }
  const char *beyond = to != NULL && job->sentence != NULL ? beyond_files (job) : NULL;
  if (beyond != NULL)
    return refuse_folder (job, beyond, error);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (file_free);
  ExitCode code = CODE_OK;
  if (job->sentence != NULL)
    code = read_sentence (cli, job, to == NULL, files, error);
  else if (!read_folder (job, "", files, error))
    code = CODE_USAGE;
  if (code != CODE_OK)
    return code;
  if (to != NULL)
    return write_files (cli, job, files, to, error);
  print_files (cli, files);
  return CODE_OK;
}
