#include "engine/step/held_follow.h"

#include "engine/job/job_rights.h"
#include "engine/job/job_tables.h"

#include <pthread.h>

#define SQL "src/engine/step/sql/"
#define FOLLOW "src/engine/work/sql/holds_follow.sql"

static void
add (const Job *job, const char *table, const char *right, gpointer data)
{
  if (g_str_equal (right, "DELETE") || g_str_equal (right, "UPDATE"))
    array_add (data, table);
}

static char *
written_by (const Job *job)
{
  GString *tables = array_new ();
  if (job->table != NULL)
    array_add (tables, job->table);
  if (job->built_in)
    job_rights_each (job, add, tables);
  else if (job->sentence != NULL)
    job_tables_each (job, add, tables);
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++)
      array_add (tables, g_array_index (apply, JobApply, k).table);
  }
  return array_take (tables);
}

/* The files of a built-in job are read once. */
char *
held_reach (const Job *job)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static GHashTable *known; /* name -> tables; under the lock */
  if (!job->built_in)
    return written_by (job);
  pthread_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!g_hash_table_contains (known, job->name))
    g_hash_table_insert (known, g_strdup (job->name), written_by (job));
  char *tables = g_strdup (g_hash_table_lookup (known, job->name));
  pthread_mutex_unlock (&lock);
  return tables;
}

static gboolean
lock_tables (Pg *pg, const Job *job, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tables", held_reach (job));
  g_autoptr (PgRows) made = pg_run_file (pg, SQL "held_lock.sql", values, error);
  return made != NULL
         && (rows_count (made) == 0 || pg_exec (pg, rows_text (made, 0, "sql"), error));
}

PgRows *
held_follow_changed (Pg *pg, gboolean after, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "after", after ? "t" : "f");
  return pg_run_file (pg, SQL "held_changed.sql", values, error);
}

gboolean
held_follow (Pg *pg, const Job *job, GError **error)
{
  if (!lock_tables (pg, job, error))
    return FALSE;
  g_autoptr (PgRows) changed = held_follow_changed (pg, FALSE, error);
  if (changed == NULL || rows_count (changed) == 0)
    return changed != NULL;
  g_autoptr (PgRows) done = pg_run_file (pg, FOLLOW, NULL, error);
  return done != NULL;
}
