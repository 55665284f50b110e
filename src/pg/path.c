#include "pg/path.h"

#include "pg/pg_private.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *known; /* under lock; what a path depends on -> it */

static char *
name_of (const Pg *pg)
{
  return g_strjoin ("\x1f", pg->url, pg->app_schema != NULL ? pg->app_schema : "",
                    pg->extension_schemas != NULL ? pg->extension_schemas : "", NULL);
}

char *
path_known (const Pg *pg)
{
  g_autofree char *name = name_of (pg);
  pthread_mutex_lock (&lock);
  char *path = known != NULL ? g_strdup (g_hash_table_lookup (known, name)) : NULL;
  pthread_mutex_unlock (&lock);
  return path;
}

void
path_note (const Pg *pg, const char *path)
{
  char *name = name_of (pg);
  pthread_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (g_hash_table_contains (known, name))
    g_free (name);
  else
    g_hash_table_insert (known, name, g_strdup (path));
  pthread_mutex_unlock (&lock);
}
