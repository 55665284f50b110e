#include "engine/job/sentence/sentence_again.h"

#include "base/resource.h"
#include "engine/job/sentence/sentence_keys.h"
#include "engine/job/sentence/sentence_remember.h"

#include <pthread.h>

#define COUNT "src/engine/job/sentence/sql/again_count.sql"
/* What must follow when a row of a table of the program's jobs goes: a file for each. */
#define BEFORE "src/jobs/shared/again/"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Job as it was loaded -> (table, or "" of a sentence -> Job of such runs); under the lock */
static GHashTable *known;

static char **
words (const char *first, const char *second)
{
  char **list = g_new0 (char *, 3);
  list[0] = g_strdup (first);
  list[1] = g_strdup (second);
  return list;
}

/* --- of a sentence --- */

static Sentence *
sentence_of (const Sentence *said)
{
  Sentence *again = g_memdup2 (said, sizeof *said);
  again->again = TRUE;
  if (said->on[0] == NULL)
    again->where = NULL;
  again->due = NULL;
  again->on = words (NULL, NULL);
  again->by = NULL;
  return again;
}

static Job *
make_alike (const Job *job, Sentence *sentence)
{
  Job *again = g_memdup2 (job, sizeof *job);
  again->sentence = sentence;
  again->by_tick = TRUE;
  again->by_event = again->by_parent = FALSE;
  again->on = NULL;
  again->events = g_ptr_array_new ();
  again->arguments = words (AGAIN_SINCE, job->sentence != NULL ? NULL : AGAIN_TABLE);
  again->argument_types = words ("", "");
  return again;
}

/* --- of SQL files or C --- */

/* The rows of TABLE that the run names, and nothing else: nothing of what the job asks of rows, nor
 * of what it does besides. */
static Sentence *
sentence_about (const Job *job, const char *table)
{
  const gboolean own = g_strcmp0 (job->table, table) == 0;
  Sentence *again = sentence_new ();
  again->name = g_strdup (job->name);
  again->place = g_strdup_printf ("%s:0", job->name);
  again->table = g_strdup (table);
  again->consistency = g_strdup ("always");
  again->remember_days = job->remember_days;
  again->again = again->born_said = TRUE;
  again->born_guessed = !own || job->born == NULL;
  again->born = g_strdup (again->born_guessed ? AGAIN_BORN : job->born);
  g_autofree char *first = g_strdup_printf (BEFORE "%s.sql", table);
  if (job->built_in && resource_exists (first))
    again->first = g_steal_pointer (&first);
  if (!again->born_guessed && g_str_equal (again->born, SENTENCE_BORN_NONE))
    g_clear_pointer (&again->born, g_free);
  return again;
}

/* Only its name, its settings and its labels are those of JOB. */
static Job *
make_about (const Job *job, const char *table)
{
  Job *again = make_alike (job, sentence_about (job, table));
  again->code = NULL;
  again->kind = job_kind_of (NULL, again->sentence);
  again->table = g_strdup (table);
  again->item_column = NULL;
  again->needs = again->reads = again->unfollowed = again->makes = words (NULL, NULL);
  again->deletes = again->locked = again->launches = again->makes;
  again->page = again->decide = again->children = again->context = again->blocked = NULL;
  again->released = again->blocked_minute = again->remains = again->page_count = NULL;
  again->page_until = again->page_split = again->values = NULL;
  again->count = pg_statement (COUNT); /* it is held before a row is tried */
  again->restored = again->event_key = again->named = NULL;
  again->due = again->due_table = again->due_age = again->due_unit = NULL;
  again->locks = g_ptr_array_new ();
  again->whats = g_ptr_array_new ();
  again->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  again->failed_log = again->failed_counter = NULL;
  again->applies = again->spacing = FALSE;
  again->retry_every_ms = 0;
  return again;
}

/* --- kept --- */

static Job *
make (const Job *job, const char *table)
{
  return job->sentence != NULL ? make_alike (job, sentence_of (job->sentence))
                               : make_about (job, table);
}

static const Job *
find (const Job *job, const char *table)
{
  pthread_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_hash_table_unref);
  GHashTable *tables = g_hash_table_lookup (known, job);
  if (tables == NULL)
    g_hash_table_insert (known, (gpointer)job,
                         tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL));
  Job *again = g_hash_table_lookup (tables, table);
  if (again == NULL)
    g_hash_table_insert (tables, g_strdup (table), again = make (job, table));
  pthread_mutex_unlock (&lock);
  return again;
}

const Job *
sentence_again_about (const Job *job, const char *table)
{
  return find (job, job->sentence != NULL ? "" : table);
}

const Job *
sentence_again_job (const Job *job, const json_t *args)
{
  const Job *said = job_form (job, FORM_SAID);
  const char *table = json_string_value (json_object_get (args, AGAIN_TABLE));
  if (json_object_get (args, AGAIN_SINCE) == NULL || said == NULL || said->remember_days == 0
      || sentence_is_again (said) || (said->sentence == NULL && table == NULL))
    return job;
  return sentence_again_about (said, table);
}

gboolean
sentence_is_again (const Job *job)
{
  return job->sentence != NULL && job->sentence->again;
}

void
sentence_again_forget (const Job *job)
{
  pthread_mutex_lock (&lock);
  if (known != NULL)
    g_hash_table_remove (known, job);
  pthread_mutex_unlock (&lock);
}
