#include "cli/restore/restore.h"

#include "cli/holds/holds.h"
#include "engine/ledger/journal.h"

#define SQL "src/cli/restore/sql/"

gboolean
restore_is_restored (const PgRows *rows, int row)
{
  return rows_text (rows, row, "key") != NULL
         && g_str_equal (rows_text (rows, row, "action"), "restored");
}

typedef struct {
  GString *jobs, *items;
  GHashTable *seen; /* of char: the items; what one job holds is held from all */
} Held;

static Held
held_new (void)
{
  return (Held){ array_new (), array_new (),
                 g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
}

static void
hold_row (const Held *held, const char *job, const char *table, const char *key)
{
  char *item = g_strdup_printf ("%s:%s", table, key);
  array_add (held->jobs, job);
  array_add (held->items, item);
  g_hash_table_add (held->seen, item);
}

/* Adds the items of ROWS as JOB's quarantine names them: by the row's key, or by a column. */
static void
hold_rows (const Held *held, const Job *job, const Record *record, const PgRows *rows)
{
  gboolean named = g_strv_contains ((const char *const *)job->items, record->table);
  for (int i = 0; i < rows_count (rows); i++) {
    if (!restore_is_restored (rows, i))
      continue;
    const char *item = rows_text (rows, i, "item");
    if (job->item_column != NULL && job->table != NULL && item != NULL)
      hold_row (held, job->name, job->table, item);
    else if (job->item_column == NULL && named)
      hold_row (held, job->name, record->table, rows_text (rows, i, "key"));
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

/* The jobs in force that name TABLE, with the name that each has for it; borrowed. */
static const PgRows *
jobs_on (Restore *restore, const char *table, GError **error)
{
  const PgRows *known = g_hash_table_lookup (restore->named, table);
  if (known != NULL)
    return known;
  const Jobs *jobs = restore->cli->jobs;
  GString *names = array_new (), *tables = array_new (), *sentences = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (char **item = job->items; job->item_column == NULL && *item != NULL; item++) {
      array_add (names, job->name);
      array_add (tables, *item);
      array_add (sentences, job->sentence != NULL ? "t" : "f");
    }
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", table);
  pg_values_take (values, "job", array_take (names));
  pg_values_take (values, "name", array_take (tables));
  pg_values_take (values, "sentence", array_take (sentences));
  PgRows *rows = pg_run_file (restore->pg, SQL "named.sql", values, error);
  if (rows != NULL)
    g_hash_table_insert (restore->named, g_strdup (table), rows);
  return rows;
}

/* Holds the row KEY of TABLE from the jobs ON it, too, unless it is held by that name. */
static void
hold_from_others (const Held *held, const PgRows *on, const char *key)
{
  for (int i = 0; i < rows_count (on); i++) {
    g_autofree char *item = g_strdup_printf ("%s:%s", rows_text (on, i, "name"), key);
    if (!g_hash_table_contains (held->seen, item))
      hold_row (held, rows_text (on, i, "job"), rows_text (on, i, "name"), key);
  }
}

/* Takes HELD: what RUN_ID, of JOB, had taken. */
static gboolean
write_held (Restore *restore, Held held, const char *run_id, const char *job, GError **error)
{
  g_hash_table_unref (held.seen);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", array_take (held.jobs));
  pg_values_take (values, "item", array_take (held.items));
  pg_values_set (values, "run_id", run_id);
  pg_values_set (values, "of_job", job);
  pg_values_set (values, "reason", restore->reason);
  pg_values_take (values, "who", journal_actor ());
  g_autoptr (PgRows) done = pg_run_file (restore->pg, SQL "hold.sql", values, error);
  return done != NULL;
}

gboolean
restore_hold_item (Restore *restore, guint run, const char *table, const char *key, GError **error)
{
  g_autoptr (GPtrArray) jobs = all_jobs (restore);
  const PgRows *on = jobs_on (restore, table, error);
  if (on == NULL)
    return FALSE;
  const Held held = held_new ();
  for (guint i = 0; i < jobs->len; i++) {
    const Job *job = jobs->pdata[i];
    if (g_strv_contains ((const char *const *)job->items, table))
      hold_row (&held, job->name, table, key);
  }
  hold_from_others (&held, on, key);
  return write_held (restore, held, restore->runs->pdata[run], restore->names->pdata[run], error);
}

/* The job in whose name a row is held that no job names, because it can go below another one: the
 * one that removed it. NULL: a row that built-in jobs take along follows from their own rows. */
static const char *
holder_of (const Restore *restore, const RestoreStep *step, const Record *record)
{
  const Job *job = jobs_find_loaded (restore->cli->jobs, step->job_name);
  const gboolean own = job == NULL || (!job->built_in && job->item_column == NULL);
  return record->deleted && own ? step->job_name : NULL;
}

gboolean
restore_hold (Restore *restore, const RestoreStep *step, const Record *record, const PgRows *rows,
              GError **error)
{
  g_autoptr (GPtrArray) jobs = all_jobs (restore);
  const PgRows *on = jobs_on (restore, record->table, error);
  if (on == NULL)
    return FALSE;
  const Held held = held_new ();
  for (guint i = 0; i < jobs->len; i++)
    hold_rows (&held, jobs->pdata[i], record, rows);
  const char *holder = holder_of (restore, step, record);
  const gboolean unnamed = g_hash_table_size (held.seen) == 0 && rows_count (on) == 0;
  for (int i = 0; i < rows_count (rows); i++) {
    if (!restore_is_restored (rows, i))
      continue;
    hold_from_others (&held, on, rows_text (rows, i, "key"));
    if (unnamed && holder != NULL)
      hold_row (&held, holder, record->table, rows_text (rows, i, "key"));
  }
  return write_held (restore, held, step->run_id, step->job_name, error);
}

/* --- while rows come back --------------------------------------------------------------------- */

static PgValues *
hold_values (const Restore *restore)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "run_id", restore->run_id);
  return values;
}

/* A step asks for rows that are held if there were any when it began. One that has begun without
 * would take rows that come back meanwhile: below a row that it waits for. */
gboolean
restore_hold_ahead (Restore *restore, GError **error)
{
  g_autoptr (PgValues) values = hold_values (restore);
  pg_values_take (values, "who", journal_actor ());
  g_autoptr (PgRows) rows = pg_run_alone (restore->pg, SQL "hold_ahead.sql", values, error);
  if (rows == NULL)
    return FALSE;
  restore->hold_id = g_strdup (rows_text (rows, 0, "hold_id"));
  return holds_wait (restore->pg, FALSE, error);
}

gboolean
restore_hold_over (Restore *restore, GError **error)
{
  g_autoptr (PgValues) values = hold_values (restore);
  pg_values_set (values, "hold_id", restore->hold_id);
  g_autoptr (PgRows) over = pg_run_alone (restore->pg, SQL "hold_over.sql", values, error);
  if (over == NULL)
    return FALSE;
  g_autoptr (PgRows) known
      = pg_run_alone (restore->pg, "src/engine/work/sql/holds_follow.sql", NULL, error);
  return known != NULL;
}
