#include "cli/by_tables.h"

#include "engine/job/chosen.h"

/* A job that lacks a table it needs would be blocked. */
static PgValues *
needs_of (const Cli *cli)
{
  GString *jobs = array_new (), *tables = array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    for (char **need = job->needs; job->built_in && *need != NULL; need++) {
      g_auto (GStrv) parts = g_strsplit (*need, ".", 2);
      array_add (jobs, job->name);
      array_add (tables, parts[0]);
    }
  }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  pg_values_take (values, "job", array_take (jobs));
  pg_values_take (values, "relation", array_take (tables));
  return values;
}

/* `ci.delete_objects (ci_deleted_objects), groups.destroy (starts ...), ...` */
static char *
words_of (const Cli *cli, GHashTable *absent, const PgRows *rows)
{
  GString *words = g_string_new (NULL);
  for (const char *const *name = jobs_loaded (cli->jobs); *name != NULL; name++) {
    const char *why = g_hash_table_lookup (absent, *name), *missing = NULL;
    for (int i = 0; i < rows_count (rows) && missing == NULL; i++)
      if (g_str_equal (rows_text (rows, i, "job"), *name))
        missing = rows_text (rows, i, "missing");
    if (missing != NULL || why != NULL)
      g_string_append_printf (words, "%s%s (%s%s)", words->len > 0 ? ", " : "", *name,
                              missing != NULL ? "" : "starts ", missing != NULL ? missing : why);
  }
  return g_string_free (words, FALSE);
}

gboolean
by_tables_take (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  g_autoptr (PgValues) values = needs_of (cli);
  if (pg == NULL || !pg_begin_read_only (pg, error))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/absent.sql", values, error);
  pg_rollback (pg);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) absent = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (int i = 0; i < rows_count (rows); i++)
    g_hash_table_insert (absent, g_strdup (rows_text (rows, i, "job")), NULL);
  chosen_without (cli->jobs, absent);
  if (g_hash_table_size (absent) > 0)
    cli->absent = words_of (cli, absent, rows);
  return TRUE;
}
