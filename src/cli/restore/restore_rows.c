#include "cli/restore/restore.h"

#include "base/resource.h"

#define SQL "src/cli/restore/sql/"
#define AT_ONCE 1000
#define TRIALS 30        /* PostgreSQL caches 64 subtransactions for snapshots */
#define TOO_LONG "57014" /* statement_timeout */
#define WAITS "23503"    /* foreign_key_violation: the referenced row does not exist */

static char *
positions_of (const GArray *part)
{
  GString *array = array_new ();
  for (guint i = 0; i < part->len; i++)
    array_add_int (array, g_array_index (part, gint64, i));
  return array_take (array);
}

static PgValues *
values_of (const Restore *restore, const RestoreStep *step, const Record *record,
           const GArray *part)
{
  PgValues *values = pg_values_new ();
  pg_values_take (values, "own", array_of_texts (restore->own));
  pg_values_take (values, "runs", array_of_texts (restore->runs));
  pg_values_set (values, "run_id", step->run_id);
  pg_values_set (values, "part", record->part);
  pg_values_set (values, "place", record->place);
  pg_values_set (values, "xid", record->xid);
  pg_values_set (values, "makes", record->makes ? "true" : "false");
  pg_values_set (values, "item_column", step->job != NULL ? step->job->item_column : NULL);
  pg_values_take (values, "position", positions_of (part));
  return values;
}

static gboolean
is_restored (const PgRows *rows, int row)
{
  return rows_text (rows, row, "key") != NULL
         && g_str_equal (rows_text (rows, row, "action"), "restored");
}

/* --- hold, and the job's own SQL -------------------------------------------------------------- */

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
    if (!is_restored (rows, i))
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

/* Holds the rows back from the jobs of these runs, and from those of their ancestors. */
static gboolean
hold (Restore *restore, const Record *record, const PgRows *rows, GError **error)
{
  g_autoptr (GPtrArray) jobs = all_jobs (restore);
  Held held = { array_new (), array_new () };
  for (guint i = 0; i < jobs->len; i++)
    hold_rows (&held, jobs->pdata[i], record, rows);
  return write_held (restore, held, error);
}

static char *
restored_keys (const PgRows *rows)
{
  GString *keys = array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    if (is_restored (rows, i))
      array_add (keys, rows_text (rows, i, "key"));
  return array_take (keys);
}

/* *STATEMENT: NULL if the job has none for TABLE. */
static gboolean
restored_statement (const Job *job, const char *table, const PgStatement **statement,
                    GError **error)
{
  *statement = g_strcmp0 (table, job->table) == 0 ? job->restored : NULL;
  g_autofree char *path = g_strdup_printf ("%s/restored/%s.sql", job->folder, table);
  if (*statement != NULL || job->sentence != NULL || !resource_exists (path))
    return TRUE;
  g_autofree char *text = resource_sql (path, error);
  return text != NULL && (*statement = pg_statement_text (path, text, error)) != NULL;
}

/* Runs the job's `restored/<table>.sql`. *SAID: its remarks about single rows; NULL: the job has no
 * such file. */
static gboolean
run_jobs_own (Restore *restore, const RestoreStep *step, const Record *record, const PgRows *rows,
              PgRows **said, GError **error)
{
  const PgStatement *statement;
  if (step->job == NULL || !record->deleted)
    return TRUE;
  if (!restored_statement (step->job, record->table, &statement, error))
    return FALSE;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", restored_keys (rows));
  return (*said = pg_run (restore->pg, statement, values, error)) != NULL;
}

/* --- one part --------------------------------------------------------------------------------- */

static const char *
said_of (const PgRows *said, const char *key)
{
  for (int i = 0; said != NULL && i < rows_count (said); i++)
    if (g_strcmp0 (rows_at (said, i, rows_column (said, "key")), key)
        == 0) /* the job's file can return no such columns */
      return rows_at (said, i, rows_column (said, "reason"));
  return NULL;
}

static const char *
action_of (const PgRows *rows, int row)
{
  static const char *const actions[] = { "restored", "exists again", "left out" };
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i], rows_text (rows, row, "action")))
      return actions[i];
  return "cannot be";
}

/* A change of a row that does not exist (yet): an earlier record can restore the row. */
static gboolean
row_waits (const Restore *restore, Record *record, const PgRows *rows, int row)
{
  gint64 n = rows_int (rows, row, "n");
  if (restore->last || !g_str_equal (rows_text (rows, row, "action"), "waits"))
    return FALSE;
  g_array_append_val (record->open, n);
  return TRUE;
}

static void
take_rows (Restore *restore, Record *record, const PgRows *rows, const PgRows *said)
{
  for (int i = 0; i < rows_count (rows); i++) {
    if (rows_text (rows, i, "key") == NULL || row_waits (restore, record, rows, i))
      continue;
    const char *key = rows_text (rows, i, "key"), *reason = rows_text (rows, i, "reason"),
               *xid = rows_text (rows, i, "xid");
    const char *parts[4] = { NULL };
    guint n = 0;
    if (reason != NULL)
      parts[n++] = reason;
    if (is_restored (rows, i) && record->notes != NULL)
      parts[n++] = record->notes;
    if ((parts[n] = said_of (said, key)) != NULL)
      n++;
    restore_add_line (restore, record->table, key, action_of (rows, i),
                      n > 0 ? g_strjoinv ("; ", (char **)parts) : NULL);
    if (xid != NULL
        && (restore->own->len == 0
            || !g_str_equal (restore->own->pdata[restore->own->len - 1], xid)))
      g_ptr_array_add (restore->own, g_strdup (xid));
  }
}

/* TRUE: the rows are restored. FALSE without ERROR: a row is at fault, *WHY is PostgreSQL's error.
 */
static gboolean
try_part (Restore *restore, RestoreStep *step, Record *record, const GArray *part, char **why,
          GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (PgRows) rows = NULL, said = NULL;
  g_autoptr (PgValues) values = values_of (restore, step, record, part);
  restore->trials++;
  if (!pg_exec (restore->pg, "SAVEPOINT part", error))
    return FALSE;
  rows = pg_run (restore->pg, record->statement, values, &cause);
  gboolean ok = rows != NULL && run_jobs_own (restore, step, record, rows, &said, &cause)
                && hold (restore, record, rows, &cause);
  gboolean can_halve
      = cause != NULL && part->len > 1 && g_str_equal (pg_sqlstate (restore->pg), TOO_LONG);
  if (!ok && cause->code != PRUNED_DATA && !can_halve) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  if (!ok)
    *why = g_strdup (cause->message);
  if ((!ok && !pg_exec (restore->pg, "ROLLBACK TO part", error))
      || !pg_exec (restore->pg, "RELEASE part", error))
    return FALSE;
  if (ok)
    take_rows (restore, record, rows, said);
  return ok;
}

/* --- all parts -------------------------------------------------------------------------------- */

static GArray *
part_new (const GArray *all, guint from, guint n)
{
  GArray *part = g_array_sized_new (FALSE, FALSE, sizeof (gint64), n);
  return g_array_append_vals (part, &g_array_index (all, gint64, from), n);
}

static gboolean
give_up (Restore *restore, const RestoreStep *step, const Record *record, const GArray *part,
         const char *why, GError **error)
{
  g_autoptr (PgValues) values = values_of (restore, step, record, part);
  g_autoptr (PgRows) keys = pg_run_file (restore->pg, SQL "key.sql", values, error);
  for (int i = 0; keys != NULL && i < rows_count (keys); i++)
    restore_add_line (restore, record->table, rows_text (keys, i, "key"), "cannot be",
                      g_strdup (why));
  return keys != NULL;
}

/* Halves a part that failed; a single row waits for others, or is given up. */
static gboolean
after_failure (Restore *restore, const RestoreStep *step, Record *record, GQueue *parts,
               const GArray *part, const char *why, GError **error)
{
  if (part->len > 1) {
    guint half = part->len / 2;
    g_queue_push_head (parts, part_new (part, half, part->len - half));
    g_queue_push_head (parts, part_new (part, 0, half));
    return TRUE;
  }
  if (restore->last || !g_str_equal (pg_sqlstate (restore->pg), WAITS))
    return give_up (restore, step, record, part, why, error);
  g_array_append_val (record->open, g_array_index (part, gint64, 0));
  return TRUE;
}

/* Limits the savepoints of a transaction. A dry run has one transaction only,
 * and so have rows in a circle. */
static gboolean
next_transaction (Restore *restore, GError **error)
{
  if (restore->dry_run || restore->loosened || restore->trials < TRIALS)
    return TRUE;
  return restore_commit (restore, error) && restore_begin (restore, error);
}

static gboolean
all_parts (Restore *restore, RestoreStep *step, Record *record, GQueue *parts, GError **error)
{
  while (!g_queue_is_empty (parts)) {
    g_autoptr (GArray) part = g_queue_pop_head (parts);
    g_autofree char *why = NULL;
    GError *cause = NULL;
    if (!next_transaction (restore, error))
      return FALSE;
    if (try_part (restore, step, record, part, &why, &cause))
      continue;
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return FALSE;
    }
    if (!after_failure (restore, step, record, parts, part, why, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
restore_rows (Restore *restore, RestoreStep *step, Record *record, GError **error)
{
  g_autoptr (GArray) open = record->open;
  record->open = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (record->blocked != NULL)
    return open->len == 0 || give_up (restore, step, record, open, record->blocked, error);
  GQueue parts = G_QUEUE_INIT;
  for (guint from = 0; from < open->len; from += AT_ONCE)
    g_queue_push_tail (&parts, part_new (open, from, MIN (AT_ONCE, open->len - from)));
  gboolean ok = all_parts (restore, step, record, &parts, error);
  g_queue_clear_full (&parts, (GDestroyNotify)g_array_unref);
  return ok;
}
