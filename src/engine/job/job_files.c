#include "engine/job/job_files.h"

#include "base/resource.h"
#include "engine/job/job_file_name.h"
#include "engine/job/job_folder.h"
#include "engine/job/job_private.h"
#include "engine/job/job_reading.h"
#include "engine/job/step_order.h"
#include "engine/job/step_text.h"

#include <pthread.h>
#include <string.h>

static char *
without_semicolon (char *sql)
{
  g_strchomp (sql);
  gsize len = strlen (sql);
  if (len > 0 && sql[len - 1] == ';')
    sql[len - 1] = '\0';
  return sql;
}

static char *
path_of (const Job *job, const char *file)
{
  g_autofree char *joined
      = g_strdup_printf ("/%s/%s.sql", job->folder + (job->folder[0] == '/'), file);
  g_autofree char *clean = g_canonicalize_filename (joined, "/");
  return g_strdup (job->folder[0] == '/' ? clean : clean + 1);
}

/* The SQL of the file at PATH. */
static char *
text_of (const char *path, GError **error)
{
  g_autofree char *text = resource_sql (path, error);
  if (text == NULL || (path[0] == '/' && !step_text_fits (path, text, error)))
    return NULL;
  return g_steal_pointer (&text);
}

/* Statements are kept by name: the text of a file that was changed gets another. */
static char *
name_of_text (const char *name, const char *text)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static GHashTable *first; /* name -> digest; under the lock */
  if (name[0] != '/')
    return g_strdup (name);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  pthread_mutex_lock (&lock);
  if (first == NULL)
    first = g_hash_table_new (g_str_hash, g_str_equal);
  const char *was = g_hash_table_lookup (first, name);
  gboolean other = was != NULL && !g_str_equal (was, sum);
  if (was == NULL)
    g_hash_table_insert (first, g_strdup (name), g_strdup (sum));
  pthread_mutex_unlock (&lock);
  return other ? g_strdup_printf ("%s#%.20s", name, sum) : g_strdup (name);
}

/* The files of the program never change: their statements are not made again. */
static const PgStatement *
made_before (const char *path, const char *name)
{
  return path[0] != '/' ? pg_statement_known (name) : NULL;
}

/* TABLE: the one whose rows it changes; NULL: that is not known, or none. */
static const PgStatement *
statement_of (const Job *job, const char *file, const char *table, GError **error)
{
  g_autofree char *path = path_of (job, file);
  const PgStatement *known = made_before (path, path);
  if (known != NULL)
    return known;
  g_autofree char *text = text_of (path, error);
  if (text == NULL)
    return NULL;
  static const char *const reading[] = { "page", "count", "values", "decide", NULL };
  g_autofree char *name = name_of_text (path, without_semicolon (text));
  if (table != NULL)
    return pg_statement_changing (name, text, table, error);
  return g_strv_contains (reading, file) ? job_reading (name, text, FALSE, error)
                                         : pg_statement_text (name, text, error);
}

const PgStatement *
job_files_statement (const Job *job, const char *file, GError **error)
{
  return statement_of (job, file, NULL, error);
}

/* Of a user's file. A deletion is looked into when it runs. */
static gboolean
does_as_named (const char *path, JobApply *apply, GError **error)
{
  if (path[0] != '/' || apply->kind == APPLY_DELETE)
    return TRUE;
  g_autofree char *text = text_of (path, error);
  apply->watched = apply->kind == APPLY_INSERT;
  apply->upserts = apply->watched && text != NULL && step_text_upserts (text);
  return text != NULL && step_text_does (path, text, apply->kind == APPLY_UPDATE, error);
}

static gboolean
read_effect (const Job *job, const char *file, const char *columns, const char *owner,
             JobApply *apply, GError **error)
{
  g_autofree char *path = path_of (job, file);
  if (!job_file_name (path, apply, error) || !does_as_named (path, apply, error))
    return FALSE;
  if (apply->kind == APPLY_INSERT)
    return (apply->statement = statement_of (job, file, apply->table, error)) != NULL;
  g_autofree char *returned = owner != NULL ? g_strconcat ("of ", owner, NULL) : g_strdup (columns),
                  *plain = g_strdup_printf ("%s#%s", path, returned);
  if ((apply->statement = made_before (path, plain)) != NULL)
    return TRUE;
  g_autofree char *text = text_of (path, error);
  if (text == NULL)
    return FALSE;
  g_autofree char *known = name_of_text (path, text),
                  *name = g_strdup_printf ("%s#%s", known, returned);
  apply->statement = job_files_audited (name, without_semicolon (text), apply->table,
                                        apply->kind == APPLY_UPDATE ? "updated" : "deleted",
                                        columns, owner, error);
  return apply->statement != NULL;
}

/* Without an effect nothing is left in APPLY. */
gboolean
job_files_effect (const Job *job, const char *file, const char *columns, const char *owner,
                  JobApply *apply, GError **error)
{
  if (read_effect (job, file, columns, owner, apply, error))
    return TRUE;
  g_clear_pointer (&apply->table, g_free);
  return FALSE;
}

/* The names without `.sql` in a sub-folder, in order. NULL: it cannot be read. */
static GPtrArray *
files_in (const Job *job, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, folder, NULL);
  g_auto (GStrv) names = resource_list (path, error);
  if (names == NULL)
    return NULL;
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_has_suffix (names[i], ".sql"))
      g_ptr_array_add (files,
                       g_strdup_printf ("%s/%.*s", folder, (int)strlen (names[i]) - 4, names[i]));
  return files;
}

static gboolean
load_optional (const Job *job, const char *file, const PgStatement **statement, GError **error)
{
  g_autofree char *path = path_of (job, file);
  if (!resource_exists (path))
    return TRUE;
  return (*statement = job_files_statement (job, file, error)) != NULL;
}

static gboolean
has_entries (const Job *job, const char *folder)
{
  g_autofree char *path = g_build_filename (job->folder, folder, NULL);
  g_auto (GStrv) names = resource_list (path, NULL); /* note_version has read it */
  return names != NULL && names[0] != NULL;
}

static gboolean
look_what_it_reads (const Job *job, const char *file, JobApply *apply, GError **error)
{
  g_autofree char *path = path_of (job, file), *text = text_of (path, error);
  apply->reads_all = text != NULL && job_files_reads_applied (text);
  return text != NULL;
}

static gboolean
load_what (const Job *job, JobWhat *what, GError **error)
{
  g_autofree char *folder = g_strconcat ("apply/", what->word, NULL);
  g_autoptr (GPtrArray) files = files_in (job, folder, error);
  for (guint i = 0; files != NULL && i < files->len; i++) {
    JobApply apply = { 0 };
    if (!job_files_effect (job, files->pdata[i], "key", NULL, &apply, error)
        || !look_what_it_reads (job, files->pdata[i], &apply, error)) {
      g_free (apply.table);
      return FALSE;
    }
    g_array_append_val (what->apply, apply);
  }
  return files != NULL;
}

char *
job_files_count_text (const char *page)
{
  return g_strdup_printf ("SELECT pg_catalog.count(p.key) AS n FROM (\n%s\n) AS p", page);
}

static gboolean
load_page_count (Job *job, GError **error)
{
  if (job->page == NULL)
    return TRUE;
  g_autofree char *path = path_of (job, "page"), *text = text_of (path, error);
  if (text == NULL)
    return FALSE;
  g_autofree char *known = name_of_text (path, without_semicolon (text)),
                  *name = g_strconcat (known, "#count", NULL), *sql = job_files_count_text (text);
  return (job->page_count = job_reading (name, sql, FALSE, error)) != NULL
         && job_reading_divide (job, known, without_semicolon (text), FALSE, error);
}

static gboolean
add_to_version (GChecksum *sum, const Job *job, const char *folder, GError **error)
{
  g_auto (GStrv) names = resource_list (folder, error);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    if (g_str_has_suffix (names[i], "/")) {
      if (!add_to_version (sum, job, path, error))
        return FALSE;
      continue;
    }
    g_autofree char *text = g_str_has_suffix (names[i], ".sql")  ? resource_sql (path, NULL)
                            : g_str_equal (names[i], "job.conf") ? resource_text (path, NULL)
                                                                 : NULL;
    g_checksum_update (sum, (const guchar *)path + strlen (job->folder), -1);
    g_checksum_update (sum, (const guchar *)(text != NULL ? text : ""), -1);
  }
  return names != NULL;
}

/* Whether its files or its declaration say what becomes of rows that are put back. */
static gboolean
is_bound (const Job *job)
{
  return g_key_file_has_key (job->conf, "job", "final", NULL) || job->makes[0] != NULL
         || has_entries (job, "restored");
}

/* Changes with every file of the folder and with the files that these include; of a job in C with
 * every version of the program, too. PRUNED_FATAL: a folder in it cannot be read. */
static gboolean
note_version (Job *job, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  if (!add_to_version (sum, job, job->folder, error))
    return FALSE;
  if (job->code != NULL)
    g_checksum_update (sum, (const guchar *)PRUNED_VERSION, -1);
  job->version = job_version_text (sum, is_bound (job));
  job->written = g_strdup (job->version);
  return TRUE;
}

gboolean
job_files_make_job (const char *folder)
{
  static const char *const files[] = { "job.conf", "page.sql", "apply" };
  gboolean found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i], NULL);
    found = found || resource_exists (path);
  }
  return found;
}

/* They are read when rows are put back. */
static gboolean
check_restored (const Job *job, GError **error)
{
  g_autoptr (GPtrArray) files = files_in (job, "restored", error);
  for (guint i = 0; files != NULL && i < files->len; i++) {
    g_autofree char *path = path_of (job, files->pdata[i]), *text = text_of (path, error);
    if (text == NULL)
      return FALSE;
  }
  return files != NULL;
}

static gboolean
load_locks (Job *job, GError **error)
{
  g_autoptr (GPtrArray) locks = files_in (job, "lock", error);
  for (guint i = 0; locks != NULL && i < locks->len; i++) {
    const PgStatement *lock = job_files_statement (job, locks->pdata[i], error);
    if (lock == NULL)
      return FALSE;
    g_ptr_array_add (job->locks, (gpointer)lock);
  }
  return locks != NULL;
}

gboolean
job_files_load (Job *job, GError **error)
{
  if (!note_version (job, error) || !job_folder_is_known (job, error)
      || !load_optional (job, "page", &job->page, error) || !load_page_count (job, error)
      || !load_optional (job, "count", &job->count, error)
      || !load_optional (job, "values", &job->values, error)
      || !load_optional (job, "decide", &job->decide, error)
      || !load_optional (job, "remains", &job->remains, error)
      || !load_optional (job, "children", &job->children, error)
      || !load_optional (job, "context", &job->context, error)
      || !load_optional (job, "event_key", &job->event_key, error)
      || !load_optional (job, "named", &job->named, error)
      || !load_optional (job, "blocked", &job->blocked, error)
      || !load_optional (job, "blocked_minute", &job->blocked_minute, error)
      || !load_optional (job, "released", &job->released, error) || !load_locks (job, error)
      || !check_restored (job, error))
    return FALSE;
  job->applies = has_entries (job, "apply");
  for (guint i = 0; i < job->whats->len; i++)
    if (!load_what (job, job->whats->pdata[i], error))
      return FALSE;
  if (job->code == NULL && job->page == NULL && job->events->len == 0 && !job_only_names_rows (job))
    return error_fatal (error, "%s: no page.sql", job->folder);
  return job_folder_is_whole (job, error) && step_order_is_said (job, error);
}
