#include "cli/restore/restore.h"

#define SQL "src/cli/restore/sql/"

gboolean
restore_is_restored (const PgRows *rows, int row)
{
  return rows_text (rows, row, "key") != NULL
         && g_str_equal (rows_text (rows, row, "action"), "restored");
}

typedef struct {
  GString *jobs, *items;
} Held;

static void
hold_row (Held *held, const Job *job, const char *table, const char *key)
{
  g_autofree char *item = g_strdup_printf ("%s:%s", table, key);
  array_add (held->jobs, job->name);
  array_add (held->items, item);
}

/* Adds the items of ROWS as JOB's quarantine names them: by the row's key, or by a column. */
static void
hold_rows (Held *held, const Job *job, const Record *record, const PgRows *rows)
{
  gboolean named = g_strv_contains ((const char *const *)job->items, record->table);
  for (int i = 0; i < rows_count (rows); i++) {
    if (!restore_is_restored (rows, i))
      continue;
    const char *item = rows_text (rows, i, "item");
    if (job->item_column != NULL && job->table != NULL && item != NULL)
      hold_row (held, job, job->table, item);
    else if (job->item_column == NULL && named)
      hold_row (held, job, record->table, rows_text (rows, i, "key"));
  }
}

static void
add_job (gpointer job, gpointer jobs)
{
  if (job != NULL && !g_ptr_array_find (jobs, job, NULL))
    g_ptr_array_add (jobs, job);
}

/* The jobs of the runs, and those of their ancestors, each once. g_ptr_array_unref it. */
static GPtrArray *
all_jobs (const Restore *restore)
{
  GPtrArray *jobs = g_ptr_array_new ();
  g_ptr_array_foreach (restore->jobs, add_job, jobs);
  g_ptr_array_foreach (restore->above, add_job, jobs);
  return jobs;
}

/* Takes HELD. */
static gboolean
write_held (Restore *restore, Held held, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", array_take (held.jobs));
  pg_values_take (values, "item", array_take (held.items));
  g_autoptr (PgRows) done = pg_run_file (restore->pg, SQL "hold.sql", values, error);
  return done != NULL;
}

gboolean
restore_hold_item (Restore *restore, const char *table, const char *key, GError **error)
{
  g_autoptr (GPtrArray) jobs = all_jobs (restore);
  Held held = { array_new (), array_new () };
  for (guint i = 0; i < jobs->len; i++)
    if (g_strv_contains ((const char *const *)((const Job *)jobs->pdata[i])->items, table))
      hold_row (&held, jobs->pdata[i], table, key);
  return write_held (restore, held, error);
}

gboolean
restore_hold (Restore *restore, const Record *record, const PgRows *rows, GError **error)
{
  g_autoptr (GPtrArray) jobs = all_jobs (restore);
  Held held = { array_new (), array_new () };
  for (guint i = 0; i < jobs->len; i++)
    hold_rows (&held, jobs->pdata[i], record, rows);
  return write_held (restore, held, error);
}
