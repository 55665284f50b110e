/* What is asked once for all jobs that are looked at together. */
#include "cli/check/check.h"

#include "engine/job/sentence/complete.h"

typedef struct {
  const Job *whole; /* NULL: refused */
  char *refusal;
} Completion;

static void
completion_free (gpointer data)
{
  Completion *completion = data;
  g_free (completion->refusal);
  g_free (completion);
}

/* A JobCompleted. */
static void
note (const Job *job, const Job *complete, const char *refusal, gpointer data)
{
  Check *check = data;
  if (complete == NULL && refusal == NULL) /* it is asked again, and says why */
    return;
  Completion *completion = g_new0 (Completion, 1);
  *completion = (Completion){ complete, g_strdup (refusal) };
  g_hash_table_insert (check->completed, (gpointer)job, completion);
  if (complete != NULL)
    g_ptr_array_add (check->together, (gpointer)complete);
}

void
check_ahead (Check *check, const GPtrArray *jobs)
{
  g_autoptr (GPtrArray) sentences = g_ptr_array_new ();
  check->together = g_ptr_array_new ();
  check->completed = g_hash_table_new_full (NULL, NULL, NULL, completion_free);
  check->answers = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)rows_free);
  for (guint i = 0; i < jobs->len; i++) {
    const Job *job = jobs->pdata[i];
    g_ptr_array_add (job->sentence != NULL ? sentences : check->together, (gpointer)job);
  }
  (void)!(pg_begin_read_only (check->pg, NULL)
          && job_complete_each (check->pg, (const Job *const *)sentences->pdata, sentences->len,
                                note, check, NULL));
  pg_rollback (check->pg);
}

gboolean
check_is_ahead (const Check *check, const Job *job, const Job **whole, const char **refusal)
{
  const Completion *completion = g_hash_table_lookup (check->completed, job);
  if (completion == NULL)
    return FALSE;
  *whole = completion->whole;
  *refusal = completion->refusal;
  return TRUE;
}
