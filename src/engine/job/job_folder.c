#include "engine/job/job_folder.h"

#include "base/resource.h"
#include "config/nearest.h"
#include "engine/job/job_conf_named.h"

#include <string.h>

#define SQL ".sql"
#define DEEPEST 8 /* folders in folders that are looked into */

/* --- what is read --- */

static const char *const FILES[]
    = { "page",      "decide", "remains", "children",       "context",  "count",   "values",
        "event_key", "named",  "blocked", "blocked_minute", "released", "indexes", "restored_run" };

static const struct {
  const char *name;
  guint folders; /* how many stand before a file */
  const char *form;
} FOLDERS[] = {
  { "apply", 2, "apply/WORD/NN-TABLE.sql" },
  { "lock", 1, "lock/NN-TABLE.sql" },
  { "restored", 1, "restored/TABLE.sql" },
};

/* How the files below the folder that PATH begins with are named; NULL: it is none that is read. */
static const char *
form_of (const char *path, guint *folders)
{
  for (guint i = 0; i < G_N_ELEMENTS (FOLDERS); i++) {
    const gsize len = strlen (FOLDERS[i].name);
    *folders = FOLDERS[i].folders;
    if (strncmp (path, FOLDERS[i].name, len) == 0 && path[len] == '/')
      return FOLDERS[i].form;
  }
  return NULL;
}

gboolean
job_folder_reads (const char *path)
{
  guint folders, n = 0;
  if (!g_str_has_suffix (path, SQL))
    return FALSE;
  for (const char *p = path; *p != '\0'; p++)
    n += *p == '/';
  if (n > 0)
    return form_of (path, &folders) != NULL && n == folders;
  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++)
    if (strlen (path) == strlen (FILES[i]) + strlen (SQL) && g_str_has_prefix (path, FILES[i]))
      return TRUE;
  return FALSE;
}

/* --- what is not --- */

typedef void (*Visit) (const char *path, gpointer data);

/* Visits the SQL files of FOLDER and below it, whatever the case of their ending. Names that begin
 * with a dot are not for jobs. Folders that cannot be read are left out: a job's own were read when
 * its version was noted. */
static void
visit_files (const char *folder, guint depth, Visit visit, gpointer data)
{
  g_auto (GStrv) names = resource_list (folder, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL),
                    *small = g_ascii_strdown (names[i], -1);
    if (names[i][0] == '.')
      continue;
    if (g_str_has_suffix (small, SQL))
      visit (path, data);
    else if (g_str_has_suffix (path, "/") && depth < DEEPEST) {
      path[strlen (path) - 1] = '\0';
      visit_files (path, depth + 1, visit, data);
    }
  }
}

typedef struct {
  const char *folder;
  GPtrArray *paths; /* below the folder */
} Strangers;

static void
note_stranger (const char *path, gpointer data)
{
  Strangers *strangers = data;
  const char *below = path + strlen (strangers->folder) + 1;
  if (!job_folder_reads (below))
    g_ptr_array_add (strangers->paths, g_strdup (below));
}

static void
note_included (const char *path, gpointer data)
{
  resource_includes (path, data);
}

/* `, did you mean 'decide.sql'?`, by NAME without its ending. */
static char *
meant_by (const char *name)
{
  g_autofree char *stem = g_strndup (name, strcspn (name, "."));
  const char *names[G_N_ELEMENTS (FILES) + G_N_ELEMENTS (FOLDERS) + 1] = { NULL };
  memcpy (names, FILES, sizeof FILES);
  for (guint i = 0; i < G_N_ELEMENTS (FOLDERS); i++)
    names[G_N_ELEMENTS (FILES) + i] = FOLDERS[i].name;
  const char *meant = nearest_name (stem, names);
  if (meant == NULL)
    return g_strdup ("; a file is read by its name, or another has `-- include: FILE`");
  gboolean is_file = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++)
    is_file |= g_str_equal (meant, FILES[i]);
  return g_strdup_printf (", did you mean '%s%s'?", meant, is_file ? SQL : "/");
}

/* PATH: below the folder of JOB. */
static gboolean
refuse_stranger (const Job *job, const char *path, GError **error)
{
  guint folders;
  const gsize len = strcspn (path, "/");
  const gboolean in_folder = path[len] == '/';
  const char *form = form_of (path, &folders);
  if (form != NULL)
    return error_fatal (error, "%s/%s: nothing would use it: a file here is %s", job->folder, path,
                        form);
  g_autofree char *name = g_strndup (path, len), *meant = meant_by (name);
  return error_fatal (error, "%s/%s: unknown %s '%s'%s", job->folder, path,
                      in_folder ? "folder" : "file", name, meant);
}

gboolean
job_folder_is_known (const Job *job, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  Strangers strangers = { job->folder, paths };
  if (job->folder[0] != '/')
    return TRUE;
  visit_files (job->folder, 0, note_stranger, &strangers);
  if (paths->len == 0)
    return TRUE;
  g_autoptr (GHashTable) included = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *beside = g_path_get_dirname (job->folder);
  visit_files (beside, 0, note_included, included);
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *path = g_build_filename (job->folder, paths->pdata[i], NULL);
    if (!g_hash_table_contains (included, path))
      return refuse_stranger (job, paths->pdata[i], error);
  }
  return TRUE;
}

/* --- what must be there --- */

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
                      "removed: add TABLE.sql, or decide.sql to the job",
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
  return error_fatal (error, "%s/apply/%s: no file, and [what %s] counts rows as %s: add %s",
                      job->folder, what->word, what->word, counts,
                      g_str_equal (counts, "removed") ? "TABLE.sql" : "TABLE.update.sql");
}

/* Without a cursor each page begins at the first row, and rows that stay come again for ever. */
static gboolean
goes_on (const Job *job, GError **error)
{
  gboolean searches = job->by_tick || job->by_parent;
  for (guint i = 0; i < job->events->len; i++)
    searches |= ((const JobEvent *)job->events->pdata[i])->key == NULL;
  if (job->page == NULL || job->cursor->len > 0 || !searches || job_only_names_rows (job))
    return TRUE;
  return job_conf_fail (job, "cursor", error,
                        "a job with page.sql needs one: the columns by which its pages follow each "
                        "other (`cursor = id bigint`)");
}

static gboolean
names_its_rows (const Job *job, GError **error)
{
  gboolean changes = FALSE;
  for (guint i = 0; i < job->whats->len; i++)
    changes |= ((const JobWhat *)job->whats->pdata[i])->apply->len > 0;
  return !changes || job->table != NULL
         || job_conf_fail (job, "table", error,
                           "a job with files in apply/ needs it: its rows are those of this table");
}

gboolean
job_folder_is_whole (const Job *job, GError **error)
{
  if (job->code == NULL && !removes (job, error))
    return FALSE;
  for (guint i = 0; i < job->whats->len; i++)
    if (!does_what_counts (job, job->whats->pdata[i], error))
      return FALSE;
  return job->code != NULL || (goes_on (job, error) && names_its_rows (job, error));
}
