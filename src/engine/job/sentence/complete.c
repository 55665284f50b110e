#include "engine/job/sentence/complete.h"

#include "engine/job/job_divided.h"
#include "engine/job/job_files.h"
#include "engine/job/sentence/sentence_partitions.h"

#include <pthread.h>
#include <string.h>

#define SQL "src/engine/job/sentence/sql/"
#define OUTCOME "RowProcessed"
#define TRIES 4

typedef struct _Completed Completed;
struct _Completed {
  char *stamp;
  char *tables; /* an array literal: what the stamp is about */
  Job *job;
  Completed *before; /* replaced by this one: threads may still use it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *known; /* Job -> Completed, the newest; under the lock */

/* --- statements from texts --- */

/* Statements are kept by name, and a text that is written anew has another. */
static char *
name_of (const Job *job, const char *path, const char *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return g_strdup_printf ("[retention %s] %s.sql#%.8s", job->name, path, sum);
}

static const PgStatement *
statement_of (const Job *job, const WrittenFile *file, GError **error)
{
  g_autofree char *name = name_of (job, file->path, file->text);
  return pg_statement_text (name, file->text, error);
}

/* The page, and how many keys it finds. Which index is best depends on T and on the cursor. */
static gboolean
add_page (Job *job, const WrittenFile *file, GError **error)
{
  g_autofree char *counts = job_files_count_text (file->text),
                  *name = name_of (job, file->path, file->text),
                  *name_of_count = name_of (job, "count", counts);
  return (job->page = pg_statement_anew (name, file->text, error)) != NULL
         && (job->page_count = pg_statement_anew (name_of_count, counts, error)) != NULL
         && job_divided_load (job, name, file->text, TRUE, error);
}

static JobWhat *
add_what (Job *job, const char *word, gboolean effective)
{
  JobWhat *what = g_new0 (JobWhat, 1);
  *what = (JobWhat){ .word = g_strdup (word),
                     .counter = g_strdup (word),
                     .counts_as_updated = effective,
                     .outcome = g_strdup (OUTCOME),
                     .only_named = TRUE,
                     .entity = g_strdup ("key"),
                     .constants = json_pack ("{s:s, s:s, s:s}", "job", job->name, "table",
                                             job->table, "what", word),
                     .log_fields = g_new0 (char *, 1),
                     .apply = g_array_new (FALSE, FALSE, sizeof (JobApply)) };
  g_ptr_array_add (job->whats, what);
  return what;
}

static gboolean
add_effect (const Job *job, JobWhat *what, const WrittenFile *file, GError **error)
{
  g_autofree char *name = name_of (job, file->path, file->text);
  JobApply apply = { .table = g_strdup (file->table),
                     .kind = file->action == 'i'   ? APPLY_INSERT
                             : file->action == 'u' ? APPLY_UPDATE
                                                   : APPLY_DELETE };
  apply.statement
      = file->action == 'i'
            ? statement_of (job, file, error)
            : job_files_audited (name, file->text, file->table,
                                 file->action == 'u' ? "updated" : "deleted", "key", error);
  gboolean ok = apply.statement != NULL && job_files_audited_many (name, file->text, &apply, error);
  g_array_append_val (what->apply, apply);
  return ok;
}

static gboolean
add_file (Job *job, JobWhat *what, const WrittenFile *file, GError **error)
{
  const PgStatement *statement;
  if (g_str_equal (file->path, WRITTEN_SHOWN))
    return TRUE;
  if (g_str_has_prefix (file->path, "apply/"))
    return add_effect (job, what, file, error);
  if (g_str_equal (file->path, "page"))
    return add_page (job, file, error);
  if ((statement = statement_of (job, file, error)) == NULL)
    return FALSE;
  if (g_str_equal (file->path, "decide"))
    job->decide = statement;
  else if (g_str_equal (file->path, "event_key"))
    job->event_key = statement;
  else if (g_str_equal (file->path, "named"))
    job->named = statement;
  else if (g_str_equal (file->path, "values"))
    job->values = statement;
  else if (g_str_equal (file->path, "objects"))
    job->objects = statement;
  else if (g_str_has_prefix (file->path, "restored/"))
    job->restored = statement;
  else
    g_ptr_array_add (job->locks, (gpointer)statement);
  return TRUE;
}

/* --- the copy --- */

static void
set_cursor (Job *job, const Written *written)
{
  job->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  for (guint i = 0; i < written->cursor->len; i++) {
    JobCursor column = { .name = g_strdup_printf ("k%u", i + 1),
                         .type = g_strdup (written->cursor->pdata[i]),
                         .open = TRUE };
    g_array_append_val (job->cursor, column);
  }
}

static Job *
copy_of (const Job *job, const Written *written, const char *table)
{
  Job *copy = g_memdup2 (job, sizeof *job);
  copy->original = (Job *)job;
  copy->table = g_strdup (table);
  copy->items = g_new0 (char *, 2);
  copy->items[0] = g_strdup (table);
  copy->follows = g_strsplit ("cascade;set null;set default", ";", -1);
  copy->locks = g_ptr_array_new ();
  copy->whats = g_ptr_array_new ();
  copy->failed_outcome = g_strdup (OUTCOME);
  copy->failed_constants
      = json_pack ("{s:s, s:s, s:s}", "job", job->name, "table", table, "what", "failed");
  set_cursor (copy, written);
  return copy;
}

static Job *
job_of (const Job *job, const Written *written, GError **error)
{
  Job *copy = copy_of (job, written, written->tables->pdata[0]);
  JobWhat *what = add_what (copy, written->word, TRUE);
  add_what (copy, "kept", FALSE);
  add_what (copy, "gone", FALSE);
  if (sentence_has_objects (job->sentence)) /* it comes again before its run ends: no outcome */
    g_clear_pointer (&add_what (copy, "waits", FALSE)->outcome, g_free);
  for (guint i = 0; i < written->files->len; i++)
    if (!add_file (copy, what, written->files->pdata[i], error))
      return NULL; /* what there is of it stays: a sentence that is refused is not written often */
  const WrittenFile below = { .path = (char *)"below", .text = written->below };
  if (below.text != NULL && (copy->below = statement_of (copy, &below, error)) == NULL)
    return NULL;
  return copy;
}

/* --- the cache --- */

static char *
stamp_of (Pg *pg, const char *tables, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tables", tables);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "sentence_stamp.sql", values, error);
  return rows != NULL ? g_strdup (rows_text (rows, 0, "stamp")) : NULL;
}

static const Completed *
find_known (const Job *job)
{
  pthread_mutex_lock (&lock);
  const Completed *found = known != NULL ? g_hash_table_lookup (known, job) : NULL;
  pthread_mutex_unlock (&lock);
  return found;
}

static void
remember (const Job *job, char *tables, char *stamp, Job *copy)
{
  Completed *completed = g_new0 (Completed, 1);
  *completed = (Completed){ stamp, tables, copy, NULL };
  pthread_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new (NULL, NULL);
  completed->before = g_hash_table_lookup (known, job);
  g_hash_table_insert (known, (gpointer)job, completed);
  pthread_mutex_unlock (&lock);
}

/* An event names the columns of the primary key, no more and no fewer. NULL: it does. */
static char *
event_refusal (const Job *job, const Catalogue *catalogue)
{
  const CatTable *table = catalogue->tables->pdata[0];
  for (guint i = 0; i < job->events->len; i++) {
    const SentenceEvent *event = ((const JobEvent *)job->events->pdata[i])->own;
    guint n = event != NULL ? g_strv_length (event->key) : table->key->len;
    if (n != table->key->len)
      return g_strdup_printf ("the key of [event %s] has %u path%s, and the primary key of %s %u"
                              " column%s",
                              event->name, n, n == 1 ? "" : "s", table->name, table->key->len,
                              table->key->len == 1 ? "" : "s");
  }
  return NULL;
}

static Written *
write_rows (Pg *pg, const Job *job, char **why, GError **error)
{
  g_autoptr (Catalogue) catalogue = catalogue_read (pg, job->sentence, error);
  if (catalogue == NULL)
    return NULL;
  g_autoptr (Written) written = sentence_write (job->sentence, catalogue, why);
  if (written != NULL && (*why = event_refusal (job, catalogue)) != NULL)
    g_clear_pointer (&written, written_free);
  return g_steal_pointer (&written);
}

Written *
job_write (Pg *pg, const Job *job, char **refusal, GError **error)
{
  *refusal = NULL;
  g_autofree char *why = NULL;
  g_autoptr (Written) written = sentence_is_of_partitions (job->sentence)
                                    ? sentence_partitions_write (pg, job->sentence, &why, error)
                                    : write_rows (pg, job, &why, error);
  if (why != NULL)
    *refusal = g_strdup_printf ("refused: %s: %s", job->sentence->place, why);
  return g_steal_pointer (&written);
}

/* The catalogue is read between two equal stamps of *TABLES, which become those that were written.
 * NULL: as job_complete, or, without a refusal and an error, these are others, or it has changed
 * meanwhile. */
static const Job *
complete_once (Pg *pg, const Job *job, char **tables, char **refusal, GError **error)
{
  g_autofree char *before = *tables != NULL ? stamp_of (pg, *tables, error) : NULL;
  if (*tables != NULL && before == NULL)
    return NULL;
  g_autoptr (Written) written = job_write (pg, job, refusal, error);
  if (written == NULL)
    return NULL;
  g_autofree char *were = g_steal_pointer (tables);
  *tables = array_of_texts (written->tables);
  if (g_strcmp0 (were, *tables) != 0)
    return NULL;
  g_autofree char *stamp = stamp_of (pg, *tables, error);
  if (stamp == NULL || !g_str_equal (stamp, before))
    return NULL;
  Job *copy = job_of (job, written, error);
  if (copy != NULL)
    remember (job, g_steal_pointer (tables), g_steal_pointer (&stamp), copy);
  return copy;
}

/* The tables of a sentence, as far as it says so itself. */
static char *
likely_tables (const Sentence *sentence)
{
  GString *tables = array_new ();
  array_add (tables, sentence->table);
  return array_take (tables);
}

/* KNOWN_TABLES: the tables of the last time, NULL: none. A try that finds others tells the next
 * one. */
static const Job *
complete (Pg *pg, const Job *job, const char *known_tables, char **refusal, GError **error)
{
  GError *cause = NULL;
  g_autofree char *tables
      = known_tables != NULL ? g_strdup (known_tables) : likely_tables (job->sentence);
  for (int i = 0; i < TRIES; i++) {
    const Job *copy = complete_once (pg, job, &tables, refusal, &cause);
    if (copy != NULL || *refusal != NULL)
      return copy;
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return NULL;
    }
  }
  g_set_error (error, PRUNED_ERROR, PRUNED_BUSY, "%s: its tables are being altered", job->name);
  return NULL;
}

void
job_complete_forget (const Job *job)
{
  static GSList *forgotten; /* under the lock; they live as long as the process */
  gpointer completed;
  pthread_mutex_lock (&lock);
  if (known != NULL && g_hash_table_steal_extended (known, job, NULL, &completed))
    forgotten = g_slist_prepend (forgotten, completed);
  pthread_mutex_unlock (&lock);
}

const Job *
job_complete (Pg *pg, const Job *job, char **refusal, GError **error)
{
  *refusal = NULL;
  if (job->original != NULL)
    job = job->original;
  if (job->sentence == NULL)
    return job;
  const Completed *completed = find_known (job);
  if (completed != NULL) {
    g_autofree char *stamp = stamp_of (pg, completed->tables, error);
    if (stamp == NULL)
      return NULL;
    if (g_str_equal (stamp, completed->stamp))
      return completed->job;
  }
  return complete (pg, job, completed != NULL ? completed->tables : NULL, refusal, error);
}
