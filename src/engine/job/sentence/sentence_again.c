#include "engine/job/sentence/sentence_again.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *known; /* Job as it was loaded -> that of such runs; under the lock */

static char **
words (const char *only)
{
  char **list = g_new0 (char *, 2);
  list[0] = g_strdup (only);
  return list;
}

static Sentence *
sentence_of (const Sentence *said)
{
  Sentence *again = g_memdup2 (said, sizeof *said);
  again->again = TRUE;
  if (said->on[0] == NULL)
    again->where = NULL;
  again->due = NULL;
  again->on = words (NULL);
  again->by = NULL;
  return again;
}

static Job *
make (const Job *job)
{
  Job *again = g_memdup2 (job, sizeof *job);
  again->sentence = sentence_of (job->sentence);
  again->by_tick = TRUE;
  again->by_event = FALSE;
  again->on = NULL;
  again->events = g_ptr_array_new ();
  again->arguments = words (AGAIN_SINCE);
  again->argument_types = words ("");
  return again;
}

const Job *
sentence_again_job (const Job *job, const json_t *args)
{
  const Job *said = job_form (job, FORM_SAID);
  if (json_object_get (args, AGAIN_SINCE) == NULL || said == NULL || said->sentence == NULL
      || said->sentence->remember_days == 0 || said->sentence->again)
    return job;
  pthread_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new (NULL, NULL);
  Job *again = g_hash_table_lookup (known, said);
  if (again == NULL)
    g_hash_table_insert (known, (gpointer)said, again = make (said));
  pthread_mutex_unlock (&lock);
  return again;
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
