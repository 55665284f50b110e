#include "engine/job/sentence/complete.h"

#include "base/plural.h"
#include "engine/job/sentence/sentence_again.h"
#include "engine/job/sentence/sentence_copy.h"
#include "engine/job/sentence/sentence_partitions.h"

#include <pthread.h>

#define SQL "src/engine/job/sentence/sql/"
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

/* --- the cache --- */

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

void
job_complete_forget (const Job *job)
{
  static GSList *forgotten; /* under the lock; they live as long as the process */
  gpointer completed;
  sentence_again_forget (job);
  pthread_mutex_lock (&lock);
  if (known != NULL && g_hash_table_steal_extended (known, job, NULL, &completed))
    forgotten = g_slist_prepend (forgotten, completed);
  pthread_mutex_unlock (&lock);
}

/* --- the SQL --- */

/* An event names the columns of the primary key, no more and no fewer. NULL: it does. */
static char *
event_refusal (const Job *job, const Catalogue *catalogue)
{
  const CatTable *table = catalogue->tables->pdata[0];
  for (guint i = 0; i < job->events->len; i++) {
    const SentenceEvent *event = ((const JobEvent *)job->events->pdata[i])->own;
    guint n
        = event != NULL && event->columns == NULL ? g_strv_length (event->key) : table->key->len;
    if (n != table->key->len)
      return g_strdup_printf (
          "on: the key of [event %s] has %u %s, and the primary key of %s %u %s", event->name, n,
          plural (n, "path", "paths"), table->name, table->key->len,
          plural (table->key->len, "column", "columns"));
  }
  return NULL;
}

static void
write_rows (const Job *job, const Catalogue *catalogue, Written **written, char **why)
{
  *written = sentence_write (job->sentence, catalogue, why);
  if (*written != NULL && (*why = event_refusal (job, catalogue)) != NULL)
    g_clear_pointer (written, written_free);
}

/* A job that is being completed. */
typedef struct {
  const Job *job;
  char *tables, *stamp; /* of the last time, or of the last try; NULL: none */
  Written *written;
  char *refusal;
  const Job *copy;
} Try;

static void
try_free (gpointer data)
{
  Try *one = data;
  g_clear_pointer (&one->written, written_free);
  g_free (one->tables);
  g_free (one->stamp);
  g_free (one->refusal);
  g_free (one);
}

static void
note_refusal (Try *one, char *why)
{
  if (why != NULL) {
    g_autofree char *place = sentence_place_of (one->job->sentence, why);
    one->refusal = g_strdup_printf ("refused: %s: %s", place, why);
  }
  g_free (why);
}

static gboolean
write_partitions (Pg *pg, Try *one, GError **error)
{
  GError *cause = NULL;
  char *why = NULL;
  one->written = sentence_partitions_write (pg, one->job->sentence, &why, &cause);
  note_refusal (one, why);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

/* Writes the SQL of each, or notes why it is refused. Where the catalogue is torn, neither. */
static gboolean
write_each (Pg *pg, const GPtrArray *tries, GError **error)
{
  g_autoptr (GPtrArray) of_rows = g_ptr_array_new (), sentences = g_ptr_array_new ();
  for (guint i = 0; i < tries->len; i++) {
    Try *one = tries->pdata[i];
    g_clear_pointer (&one->written, written_free);
    if (one->job->kind->rows) {
      g_ptr_array_add (of_rows, one);
      g_ptr_array_add (sentences, one->job->sentence);
    } else if (!write_partitions (pg, one, error))
      return FALSE;
  }
  g_autoptr (GPtrArray) catalogues
      = catalogue_read_each (pg, (const Sentence *const *)sentences->pdata, sentences->len, error);
  for (guint i = 0; catalogues != NULL && i < of_rows->len; i++) {
    Try *one = of_rows->pdata[i];
    char *why = NULL;
    if (((Catalogue *)catalogues->pdata[i])->torn)
      continue;
    write_rows (one->job, catalogues->pdata[i], &one->written, &why);
    note_refusal (one, why);
  }
  return catalogues != NULL;
}

Written *
job_write (Pg *pg, const Job *job, char **refusal, GError **error)
{
  g_autoptr (GPtrArray) tries = g_ptr_array_new_with_free_func (try_free);
  Try *one = g_new0 (Try, 1);
  one->job = job;
  g_ptr_array_add (tries, one);
  gboolean ok = write_each (pg, tries, error);
  if (ok && one->written == NULL && one->refusal == NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_BUSY, CATALOGUE_TORN, job->name);
  *refusal = g_steal_pointer (&one->refusal);
  return ok ? g_steal_pointer (&one->written) : NULL;
}

/* --- tries --- */

/* The tables of a sentence, as far as it says so itself. */
static char *
likely_tables (const Sentence *sentence)
{
  GString *tables = array_new ();
  array_add (tables, sentence->table);
  return array_take (tables);
}

static Try *
try_new (const Job *job)
{
  Try *one = g_new0 (Try, 1);
  const Completed *completed = find_known (job);
  one->job = job;
  one->tables = completed != NULL ? g_strdup (completed->tables) : likely_tables (job->sentence);
  return one;
}

/* Their stamps (PgRows) as they are now. */
static PgRows *
ask_stamps (Pg *pg, const GPtrArray *tries, GError **error)
{
  GString *sets = array_new ();
  for (guint i = 0; i < tries->len; i++)
    array_add (sets, ((const Try *)tries->pdata[i])->tables);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "sets", array_take (sets));
  return pg_run_file (pg, SQL "sentence_stamp.sql", values, error);
}

/* Returns those that are not as they were completed the last time. */
static GPtrArray *
stamp_each (Pg *pg, const GPtrArray *tries, GError **error)
{
  g_autoptr (PgRows) stamps = ask_stamps (pg, tries, error);
  if (stamps == NULL)
    return NULL;
  GPtrArray *changed = g_ptr_array_new ();
  for (guint i = 0; i < tries->len; i++) {
    Try *one = tries->pdata[i];
    const Completed *completed = find_known (one->job);
    g_free (one->stamp);
    one->stamp = g_strdup (rows_text (stamps, (int)i, "stamp"));
    if (completed != NULL && g_str_equal (completed->tables, one->tables)
        && g_str_equal (completed->stamp, one->stamp))
      one->copy = completed->job;
    else
      g_ptr_array_add (changed, one);
  }
  return changed;
}

/* Those whose tables were foreseen. The others are tried again with the tables that they have. */
static GPtrArray *
foreseen (const GPtrArray *tries)
{
  GPtrArray *same = g_ptr_array_new ();
  for (guint i = 0; i < tries->len; i++) {
    Try *one = tries->pdata[i];
    if (one->written == NULL)
      continue;
    char *were = one->tables;
    one->tables = array_of_texts (one->written->tables);
    if (g_str_equal (were, one->tables))
      g_ptr_array_add (same, one);
    g_free (were);
  }
  return same;
}

static gboolean
copy_one (Try *one, GError **error)
{
  Job *copy = sentence_copy (one->job, one->written, error);
  if (copy != NULL)
    remember (one->job, g_strdup (one->tables), g_strdup (one->stamp), copy);
  one->copy = copy;
  return copy != NULL;
}

/* The catalogue is read between two equal stamps of the tables, which become those that were
 * written. */
static gboolean
try_each (Pg *pg, const GPtrArray *tries, GError **error)
{
  g_autoptr (GPtrArray) changed = stamp_each (pg, tries, error);
  if (changed == NULL || (changed->len > 0 && !write_each (pg, changed, error)))
    return FALSE;
  g_autoptr (GPtrArray) same = foreseen (changed);
  g_autoptr (PgRows) stamps = same->len > 0 ? ask_stamps (pg, same, error) : NULL;
  for (guint i = 0; stamps != NULL && i < same->len; i++) {
    Try *one = same->pdata[i];
    if (g_str_equal (one->stamp, rows_text (stamps, (int)i, "stamp")) && !copy_one (one, error))
      return FALSE;
  }
  return same->len == 0 || stamps != NULL;
}

/* Those that are neither complete nor refused. */
static GPtrArray *
still_open (const GPtrArray *tries)
{
  GPtrArray *open = g_ptr_array_new ();
  for (guint i = 0; i < tries->len; i++) {
    const Try *one = tries->pdata[i];
    if (one->copy == NULL && one->refusal == NULL)
      g_ptr_array_add (open, tries->pdata[i]);
  }
  return open;
}

static gboolean
complete (Pg *pg, const GPtrArray *tries, GError **error)
{
  g_autoptr (GPtrArray) open = still_open (tries);
  for (int i = 0; i < TRIES && open->len > 0; i++) {
    if (!try_each (pg, open, error))
      return FALSE;
    g_ptr_array_unref (open);
    open = still_open (tries);
  }
  return TRUE;
}

gboolean
job_complete_each (Pg *pg, const Job *const *jobs, guint n, JobCompleted visit, gpointer data,
                   GError **error)
{
  g_autoptr (GPtrArray) tries = g_ptr_array_new_with_free_func (try_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (tries, try_new (jobs[i]));
  if (!complete (pg, tries, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    const Try *one = tries->pdata[i];
    visit (one->job, one->copy, one->refusal, data);
  }
  return TRUE;
}

const Job *
job_complete (Pg *pg, const Job *job, char **refusal, GError **error)
{
  *refusal = NULL;
  job = job_form (job, FORM_SAID);
  if (job->sentence == NULL)
    return job;
  g_autoptr (GPtrArray) tries = g_ptr_array_new_with_free_func (try_free);
  Try *one = try_new (job);
  g_ptr_array_add (tries, one);
  if (!complete (pg, tries, error))
    return NULL;
  if (one->copy == NULL && one->refusal == NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_BUSY, CATALOGUE_TORN, job->name);
  *refusal = g_steal_pointer (&one->refusal);
  return one->copy;
}
