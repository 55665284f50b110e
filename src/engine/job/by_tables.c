#include "engine/job/by_tables.h"

#include "engine/job/chosen.h"

static PgValues *
needs_of (const Jobs *jobs, const char *schema)
{
  GString *names = array_new (), *tables = array_new ();
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++) {
    const Job *job = jobs_find_loaded (jobs, *name);
    for (char **need = job->needs; job->built_in && *need != NULL; need++) {
      g_auto (GStrv) parts = g_strsplit (*need, ".", 2);
      array_add (names, job->name);
      array_add (tables, parts[0]);
    }
  }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "app_schema", schema);
  pg_values_take (values, "job", array_take (names));
  pg_values_take (values, "relation", array_take (tables));
  return values;
}

GHashTable *
by_tables_absent (Pg *pg, const Jobs *jobs, const char *schema, GError **error)
{
  g_autoptr (PgValues) values = needs_of (jobs, schema);
  if (!pg_begin_read_only (pg, error))
    return NULL;
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/job/sql/absent.sql", values, error);
  pg_rollback (pg);
  if (rows == NULL)
    return NULL;
  GHashTable *absent = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (int i = 0; i < rows_count (rows); i++)
    g_hash_table_insert (absent, g_strdup (rows_text (rows, i, "job")),
                         g_strdup (rows_text (rows, i, "missing")));
  chosen_spread (jobs, absent);
  return absent;
}

char *
by_tables_words (const Jobs *jobs, GHashTable *absent)
{
  GString *words = g_string_new (NULL);
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++) {
    const char *why = g_hash_table_lookup (absent, *name);
    if (why != NULL)
      g_string_append_printf (words, "%s%s (%s)", words->len > 0 ? ", " : "", *name, why);
  }
  return g_string_free (words, words->len == 0);
}
