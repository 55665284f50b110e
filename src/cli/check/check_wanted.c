#include "cli/check/check_wanted.h"

#include "engine/job/job_writes.h"
#include "pg/rows.h"

void
check_want (const Job *job, const char *table, const char *name, gpointer data)
{
  CheckWanted *wanted = data;
  array_add (wanted->jobs, job->name);
  array_add (wanted->tables, table);
  array_add (wanted->names, name);
}

void
check_want_written (const Job *job, CheckWanted *wanted)
{
  if (job->sentence == NULL)
    job_writes_each (job, check_want, wanted);
  for (guint i = 0; job->sentence != NULL && i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++) {
      const JobApply *apply = &g_array_index (what->apply, JobApply, j);
      check_want (job, apply->table, apply->kind == APPLY_UPDATE ? "UPDATE" : "DELETE", wanted);
    }
  }
}

static PgRows *
ask_for (Check *check, const char *name, const char *file, const GPtrArray *jobs,
         CheckWantOf want_of)
{
  CheckWanted wanted = { array_new (), array_new (), array_new () };
  for (guint i = 0; i < jobs->len; i++)
    want_of (jobs->pdata[i], &wanted);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (check->cli->config, "postgres", "app_schema"));
  pg_values_int (values, "large", CHECK_LARGE);
  pg_values_take (values, "job", array_take (wanted.jobs));
  pg_values_take (values, "relation", array_take (wanted.tables));
  pg_values_take (values, "name", array_take (wanted.names));
  return check_ask (check, name, file, values);
}

/* Those of ROWS that are about JOB. */
static PgRows *
part_of (const PgRows *rows, const Job *job)
{
  g_autoptr (GArray) which = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < rows_count (rows); i++)
    if (g_str_equal (rows_text (rows, i, "job"), job->name))
      g_array_append_val (which, i);
  return rows_part (rows, (const int *)(gpointer)which->data, which->len);
}

/* What FILE finds about the job. It is asked once for all jobs that are looked at together. */
PgRows *
check_ask_of (Check *check, const char *name, const char *file, CheckWantOf want_of)
{
  if (!g_ptr_array_find (check->together, check->job, NULL)) {
    g_autoptr (GPtrArray) alone = g_ptr_array_new ();
    g_ptr_array_add (alone, (gpointer)check->job);
    return ask_for (check, name, file, alone, want_of);
  }
  const PgRows *all = g_hash_table_lookup (check->answers, file);
  if (all == NULL) {
    PgRows *rows = ask_for (check, name, file, check->together, want_of);
    if (rows == NULL)
      return NULL;
    g_hash_table_insert (check->answers, (gpointer)file, rows);
    all = rows;
  }
  return part_of (all, check->job);
}
