/* Length: what a folder in a job's place would have is told from top to bottom. */
#include "engine/view/job_files.h"

#include "base/resource.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/job_conf.h"
#include "engine/job/job_folder.h"

#include <limits.h>
#include <string.h>

static void
file_free (gpointer data)
{
  JobFile *file = data;
  g_free (file->path);
  g_free (file->text);
  g_free (file);
}

static void
add (GPtrArray *files, const char *path, char *text)
{
  JobFile *file = g_new0 (JobFile, 1);
  *file = (JobFile){ g_strdup (path), text };
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

static gboolean
read_sentence (Pg *pg, const Job *job, JobFiles *files, GError **error)
{
  g_autoptr (Written) written
      = pg_begin_read_only (pg, error) ? job_write (pg, job, &files->refusal, error) : NULL;
  pg_rollback (pg);
  if (written == NULL)
    return files->refusal != NULL;
  files->beyond = beyond_files (job);
  if (files->beyond == NULL)
    files->beyond = beyond_names (written);
  if (job->sentence->bucket == NULL)
    add (files->all, "job.conf", conf_of (job, written));
  for (guint i = 0; i < written->files->len; i++) {
    WrittenFile *file = written->files->pdata[i];
    g_autofree char *path = g_strconcat (file->path, ".sql", NULL);
    add (files->all, path, g_strdup (file->text));
  }
  return TRUE;
}

void
job_files_clear (JobFiles *files)
{
  g_clear_pointer (&files->all, g_ptr_array_unref);
  g_clear_pointer (&files->refusal, g_free);
}

gboolean
job_files_read (JobFiles *files, Pg *pg, const Job *job, GError **error)
{
  *files = (JobFiles){ .all = g_ptr_array_new_with_free_func (file_free) };
  if (job->refused != NULL)
    files->refusal = g_strdup_printf ("job %s is %s", job->name, job->refused);
  else if (job->sentence != NULL)
    return read_sentence (pg, job, files, error);
  else if (!job_only_starts (job))
    return read_folder (job, "", files->all, error);
  return TRUE;
}
