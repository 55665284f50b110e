#include "cli/left_out.h"

#include "engine/clock/processes.h"

PgRows *
left_out_rows (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GString *jobs = array_new (), *absent = array_new ();
  const gboolean chosen = *config_text (cli->config, "run", "jobs") != '\0';
  for (const char *const *name = jobs_loaded (cli->jobs); !chosen && *name != NULL; name++)
    if (jobs_find_loaded (cli->jobs, *name)->built_in)
      array_add (jobs_find (cli->jobs, *name) != NULL ? jobs : absent, *name);
  pg_values_take (values, "job", array_take (jobs));
  pg_values_take (values, "absent", array_take (absent));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  if (!pg_begin_read_only (pg, error))
    return NULL;
  PgRows *rows = pg_run_file (pg, "src/cli/sql/left_out.sql", values, error);
  pg_rollback (pg);
  return rows;
}

char *
left_out_words (const Cli *cli, const PgRows *rows, int row)
{
  const char *job = rows_text (rows, row, "job"), *process = rows_text (rows, row, "process"),
             *why = cli->absent != NULL ? g_hash_table_lookup (cli->absent, job) : NULL;
  if (process != NULL)
    return g_strdup_printf ("left out by the process %s, which started while a table of the job was"
                            " away. It looks again every five seconds",
                            process);
  return g_strdup_printf ("left out, though it was in force here before: schema %s lacks its tables"
                          " (%s). If it is no longer wanted, name the wanted jobs in [run] jobs",
                          config_text (cli->config, "postgres", "app_schema"),
                          why != NULL ? why : "see pruned doctor");
}

gboolean
left_out_say (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = left_out_rows (cli, pg, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *words = left_out_words (cli, rows, i);
    output_say (cli->out, "%s is %s", rows_text (rows, i, "job"), words);
  }
  return rows != NULL;
}
