#include "engine/clock/left_out.h"

#include "engine/job/by_tables.h"
#include "engine/job/in_force.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *noted; /* of char *; NULL: nothing; under the lock */

/* Takes NAMES. */
static void
note (GPtrArray *names)
{
  pthread_mutex_lock (&lock);
  g_clear_pointer (&noted, g_ptr_array_unref);
  noted = names;
  pthread_mutex_unlock (&lock);
}

/* *BACK: of one of these, it may be the database that was at fault. */
static void
add_refused (const Jobs *jobs, GPtrArray *names, gboolean *back)
{
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const JobRefused *refused = jobs_refused_at (jobs, i);
    if (refused->job == NULL || jobs_find (jobs, refused->name) != NULL)
      continue;
    g_ptr_array_add (names, g_strdup (refused->name));
    *back |= refused->written != NULL;
  }
}

/* An array literal of the built-in jobs that are loaded and not in force; *BACK: the database has
 * all tables of one of these. */
static char *
absent_of (const Jobs *jobs, GHashTable *absent, gboolean *back)
{
  GString *names = array_new ();
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++)
    if (jobs_find (jobs, *name) == NULL && jobs_find_loaded (jobs, *name)->built_in) {
      array_add (names, *name);
      *back |= !g_hash_table_contains (absent, *name);
    }
  return array_take (names);
}

static gboolean
add_absent (const Jobs *jobs, Pg *pg, GPtrArray *names, gboolean *back, GError **error)
{
  const char *schema = config_text (in_force_config (), "postgres", "app_schema");
  g_autoptr (GHashTable) absent = by_tables_absent (pg, jobs, schema, error);
  if (absent == NULL)
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", absent_of (jobs, absent, back));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/clock/sql/left_out.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    g_ptr_array_add (names, g_strdup (rows_text (rows, i, "job")));
  return rows != NULL;
}

static gboolean
lacks_built_in (const Jobs *jobs)
{
  gboolean lacks = FALSE;
  for (const char *const *name = jobs_loaded (jobs); !lacks && *name != NULL; name++)
    lacks = jobs_find (jobs, *name) == NULL && jobs_find_loaded (jobs, *name)->built_in;
  return lacks && *config_text (in_force_config (), "run", "jobs") == '\0';
}

gboolean
left_out_look (Service *service, Pg *pg, GError **error)
{
  const Jobs *jobs = in_force_jobs ();
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean back = FALSE;
  add_refused (jobs, names, &back);
  if (lacks_built_in (jobs) && !add_absent (jobs, pg, names, &back, error))
    return FALSE;
  if (back)
    atomic_store (&service->shared.left_out, TRUE);
  note (g_steal_pointer (&names));
  return TRUE;
}

char **
left_out_names (void)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  pthread_mutex_lock (&lock);
  for (guint i = 0; noted != NULL && i < noted->len; i++)
    g_strv_builder_add (names, noted->pdata[i]);
  pthread_mutex_unlock (&lock);
  return g_strv_builder_end (names);
}

void
left_out_end (void)
{
  note (NULL);
}
