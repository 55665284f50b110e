#include "engine/ledger/elsewhere.h"

#include "engine/job/job_reads.h"

#include <string.h>
#include <unistd.h>

#define SQL "src/engine/ledger/sql/"

struct _Elsewhere {
  Pg *pg;
  GHashTable *jobs;    /* name -> Job; NULL: not asked yet */
  GHashTable *reading; /* topic -> GPtrArray of Job */
  GPtrArray *events;   /* of SentenceEvent: of these */
};

static Elsewhere *
made (Elsewhere **all, Pg *pg)
{
  if (*all != NULL)
    return *all;
  Elsewhere *elsewhere = *all = g_new0 (Elsewhere, 1);
  elsewhere->pg = pg;
  elsewhere->reading
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  elsewhere->events = g_ptr_array_new_with_free_func ((GDestroyNotify)sentence_event_free);
  return elsewhere;
}

void
elsewhere_free (Elsewhere *elsewhere)
{
  if (elsewhere == NULL)
    return;
  g_clear_pointer (&elsewhere->jobs, g_hash_table_unref);
  g_hash_table_unref (elsewhere->reading);
  g_ptr_array_unref (elsewhere->events);
  g_free (elsewhere);
}

static gboolean
ask (Elsewhere *elsewhere, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (elsewhere->pg, SQL "jobs_elsewhere.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  elsewhere->jobs = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, job_free);
  for (int i = 0; i < rows_count (rows); i++) {
    Job *job = job_of_name (rows_text (rows, i, "job"), (int)rows_int (rows, i, "capacity"));
    g_hash_table_insert (elsewhere->jobs, job->name, job);
  }
  return TRUE;
}

gboolean
elsewhere_find (Elsewhere **all, Pg *pg, const char *name, const Job **job, GError **error)
{
  Elsewhere *elsewhere = made (all, pg);
  *job = NULL;
  if (elsewhere->jobs == NULL && !ask (elsewhere, error))
    return FALSE;
  *job = g_hash_table_lookup (elsewhere->jobs, name);
  return TRUE;
}

/* --- events --- */

/* A job that this process refuses waits here, too, and is not looked for elsewhere. */
static char *
names_of (const Jobs *jobs)
{
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    array_add (names, jobs_at (jobs, i)->name);
  for (guint i = 0; i < jobs_refused_count (jobs); i++)
    array_add (names, jobs_refused_at (jobs, i)->name);
  return array_take (names);
}

static char *
removed_of (const Jobs *jobs)
{
  const Job *job;
  GString *names = array_new ();
  for (guint i = 0; (job = jobs_removed_at (jobs, i)) != NULL; i++)
    array_add (names, job->name);
  return array_take (names);
}

static GPtrArray *
ask_reading (Elsewhere *elsewhere, const Jobs *known, const char *topic, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "topic", topic);
  pg_values_take (values, "known", names_of (known));
  pg_values_take (values, "removed", removed_of (known));
  pg_values_set (values, "host", g_get_host_name ());
  pg_values_int (values, "pid", getpid ());
  g_autoptr (PgRows) rows = pg_run_file (elsewhere->pg, SQL "reads_elsewhere.sql", values, error);
  if (rows == NULL)
    return NULL;
  GPtrArray *jobs = g_ptr_array_new_with_free_func (job_free);
  for (int i = 0; i < rows_count (rows); i++) {
    const char *text = rows_text (rows, i, "reads");
    g_autoptr (json_t) reads = json_parse (text, strlen (text), NULL);
    g_ptr_array_add (jobs, job_of_reads (rows_text (rows, i, "job"), reads, elsewhere->events));
  }
  return jobs;
}

gboolean
elsewhere_reading (Elsewhere **all, Pg *pg, const Jobs *known, const char *topic,
                   const GPtrArray **jobs, GError **error)
{
  Elsewhere *elsewhere = made (all, pg);
  GPtrArray *found = g_hash_table_lookup (elsewhere->reading, topic);
  if (found == NULL) {
    found = ask_reading (elsewhere, known, topic, error);
    if (found == NULL)
      return FALSE;
    g_hash_table_insert (elsewhere->reading, g_strdup (topic), found);
  }
  *jobs = found;
  return TRUE;
}
