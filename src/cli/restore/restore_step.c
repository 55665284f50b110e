#include "cli/restore/restore.h"

#include "cli/note.h"
#include "engine/ledger/keeping.h"
#include "engine/ledger/unrecorded.h"

#define SQL "src/cli/restore/sql/"

/* One step of one restore at a time: two of the same run would see each other's rows as foreign
 * changes. */
static gboolean
wait_for_others (Restore *restore, GError **error)
{
  if (pg_exec (restore->pg,
               "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.restore'))",
               error))
    return TRUE;
  if (g_str_equal (pg_sqlstate (restore->pg), "55P03"))
    g_prefix_error (error, "another `pruned restore` is under way: ");
  return FALSE;
}

gboolean
restore_begin (Restore *restore, GError **error)
{
  restore->trials = 0;
  return pg_begin (restore->pg, error)
         && pg_exec (restore->pg, "SET LOCAL lock_timeout = '14s'", error)
         && wait_for_others (restore, error)
         && pg_exec (restore->pg, "SET CONSTRAINTS ALL IMMEDIATE", error);
}

/* The first transaction that puts something back says so in the journal. */
static gboolean
note (Restore *restore, GError **error)
{
  gboolean any = FALSE;
  for (guint i = 0; i < restore->lines->len && !restore->noted; i++)
    any = any || g_str_equal (((const Line *)restore->lines->pdata[i])->action, "restored");
  if (!any)
    return TRUE;
  restore->noted = TRUE;
  g_autofree char *object = g_strjoin (" ", restore->run_id, restore->only_text, NULL);
  return cli_note (restore->cli, restore->pg, NULL, object, restore->reason, error);
}

gboolean
restore_commit (Restore *restore, GError **error)
{
  if (!note (restore, error) || !restore_tell (restore, error) || !pg_commit (restore->pg, error))
    return FALSE;
  restore_say_lines (restore);
  return TRUE;
}

/* --- the records of a step -------------------------------------------------------------------- */

static gboolean
job_makes (const Job *job, const char *table)
{
  return job != NULL && g_strv_contains ((const char *const *)job->makes, table);
}

/* Records with the same text share the prepared statement. */
static const PgStatement *
statement_of (const Record *record, const char *does, const char *sql, GError **error)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sql, -1);
  g_autofree char *name = g_strdup_printf ("%s %s %s", does, record->table, digest);
  return pg_statement_changing (name, sql, record->table, error);
}

/* Builds the statements for rows of the record of STEP. */
static gboolean
build (Restore *restore, const RestoreStep *step, Record *record, const char *columns,
       GError **error)
{
  const Job *job = step->job;
  const char *final = job != NULL ? job->final : NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table_name", record->table);
  pg_values_set (values, "columns", columns);
  pg_values_set (values, "action", record->deleted ? "deleted" : "updated");
  pg_values_take (values, "secret", keeping_secret (restore->cli->config));
  pg_values_take (values, "emptied", unrecorded_emptied (job));
  pg_values_take (
      values, "set",
      job != NULL && g_strcmp0 (record->table, job->table) == 0 ? unrecorded_emptied (job) : NULL);
  pg_values_set (values, "of_sentence", job != NULL && job->sentence != NULL ? "t" : "f");
  g_autoptr (PgRows) made = pg_run_file (restore->pg, SQL "build.sql", values, error);
  if (made == NULL)
    return FALSE;
  const char *sql = rows_text (made, 0, "sql"), *check = rows_text (made, 0, "check"),
             *notes = rows_text (made, 0, "notes");
  record->blocked = g_strdup (final != NULL ? final : rows_text (made, 0, "blocked"));
  record->incomplete = rows_bool (made, 0, "incomplete");
  record->keyed = rows_bool (made, 0, "keyed");
  record->notes
      = (record->deleted || record->incomplete) && *notes != '\0' ? g_strdup (notes) : NULL;
  if (record->blocked != NULL)
    return TRUE;
  return (record->statement = statement_of (record, "restore", sql, error)) != NULL
         && (check == NULL
             || (record->check = statement_of (record, "check", check, error)) != NULL);
}

static Record *
record_new (const RestoreStep *step, const PgRows *rows, int row)
{
  Record *record = g_new0 (Record, 1);
  record->table = g_strdup (rows_text (rows, row, "table_name"));
  record->part = g_strdup (rows_text (rows, row, "part"));
  record->place = g_strdup (rows_text (rows, row, "place"));
  record->xid = g_strdup (rows_text (rows, row, "xid"));
  record->in_file = rows_bool (rows, row, "in_file");
  record->deleted = g_str_equal (rows_text (rows, row, "action"), "deleted");
  record->makes = job_makes (step->job, record->table);
  record->open = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 n = 1; n <= rows_int (rows, row, "n"); n++)
    g_array_append_val (record->open, n);
  return record;
}

typedef struct {
  Restore *restore;
  const RestoreStep *step;
  Record *record;
} Only;

static gboolean
open_key (const char *key, const char *in_json, gpointer data, GError **error)
{
  const Only *only = data;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", only->step->run_id);
  pg_values_set (values, "part", only->record->part);
  pg_values_set (values, "place", only->record->place);
  pg_values_set (values, "key", key);
  pg_values_set (values, "in_json", in_json);
  pg_values_set (values, "columns", only->restore->only.columns ? "true" : "false");
  pg_values_set (values, "archived", only->step->archived);
  g_autoptr (PgRows) rows = pg_run_file (only->restore->pg, SQL "only.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    gint64 n = rows_int (rows, i, "n");
    g_array_append_val (only->record->open, n);
  }
  return rows != NULL;
}

/* Of a record only the row of --only stays open. */
static gboolean
leave_only (Restore *restore, const RestoreStep *step, Record *record, gboolean of_table,
            GError **error)
{
  g_array_set_size (record->open, 0);
  Only only = { restore, step, record };
  return !of_table || item_each_key (&restore->only, open_key, &only, error);
}

static gboolean
look_at_records (Restore *restore, RestoreStep *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run_id);
  pg_values_set (values, "step", step->step);
  pg_values_set (values, "only", restore->only.table);
  pg_values_set (values, "archived", step->archived);
  g_autoptr (PgRows) rows = pg_run_file (restore->pg, SQL "entries.sql", values, error);
  if (rows == NULL)
    return FALSE;
  step->records = g_ptr_array_new_with_free_func (restore_record_free);
  for (int i = 0; i < rows_count (rows); i++) {
    Record *record = record_new (step, rows, i);
    g_ptr_array_add (step->records, record);
    if (restore->only.table != NULL
        && !leave_only (restore, step, record, rows_bool (rows, i, "only"), error))
      return FALSE;
    if (record->open->len == 0)
      continue;
    if (g_str_equal (rows_text (rows, i, "action"), "forgotten"))
      record->blocked = g_strdup ("it was taken out of the audit (`pruned forget`)");
    else if (rows_bool (rows, i, "bare"))
      record->blocked = g_strdup ("only its key is recorded, and no file has the row");
    else if (record->in_file && step->archived == NULL)
      record->blocked = g_strdup (step->why);
    else if (!build (restore, step, record, rows_text (rows, i, "columns"), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
all_records (Restore *restore, RestoreStep *step, GError **error)
{
  if (step->records == NULL && !look_at_records (restore, step, error))
    return FALSE;
  for (guint i = 0; i < step->records->len; i++)
    if (!restore_rows (restore, step, step->records->pdata[i], error))
      return FALSE;
  return TRUE;
}

guint
restore_open_rows (const RestoreStep *step)
{
  guint n = 0;
  for (guint i = 0; step->records != NULL && i < step->records->len; i++)
    n += ((const Record *)step->records->pdata[i])->open->len;
  return n;
}

gboolean
restore_step (Restore *restore, RestoreStep *step, GError **error)
{
  if (restore->dry_run)
    return all_records (restore, step, error);
  if (step->records == NULL && !restore_read_file (restore, step, error))
    return FALSE;
  if (restore_begin (restore, error) && all_records (restore, step, error)
      && restore_commit (restore, error))
    return TRUE;
  pg_rollback (restore->pg);
  return FALSE;
}

/* --- rows in a circle ------------------------------------------------------------------------- */

/* Copies of what is open in each record. */
static GPtrArray *
open_of (const RestoreStep *step)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; i < step->records->len; i++)
    g_ptr_array_add (all, g_array_copy (((const Record *)step->records->pdata[i])->open));
  return all;
}

static gboolean
undo (Restore *restore, RestoreStep *step, const GPtrArray *open, guint lines, GError **error)
{
  g_ptr_array_set_size (restore->lines, (int)lines);
  for (guint i = 0; i < step->records->len; i++) {
    Record *record = step->records->pdata[i];
    g_array_unref (record->open);
    record->open = g_array_ref (open->pdata[i]);
  }
  return pg_exec (restore->pg, "ROLLBACK TO circle", error);
}

/* Under a savepoint. What the foreign keys refuse in the end is as open as before. */
static gboolean
loosen (Restore *restore, RestoreStep *step, GError **error)
{
  g_autoptr (GPtrArray) open = open_of (step);
  const guint lines = restore->lines->len;
  guint before;
  GError *cause = NULL;
  if (!pg_exec (restore->pg, "SAVEPOINT circle", error)
      || !pg_exec (restore->pg, "SET CONSTRAINTS ALL DEFERRED", error))
    return FALSE;
  do {
    before = restore_open_rows (step);
    if (!all_records (restore, step, error))
      return FALSE;
  } while (restore_open_rows (step) > 0 && restore_open_rows (step) < before);
  if (!pg_exec (restore->pg, "SET CONSTRAINTS ALL IMMEDIATE", &cause)) {
    if (cause->code != PRUNED_DATA) {
      g_propagate_error (error, cause);
      return FALSE;
    }
    g_error_free (cause);
    if (!undo (restore, step, open, lines, error))
      return FALSE;
  }
  return pg_exec (restore->pg, "RELEASE circle", error);
}

gboolean
restore_circle (Restore *restore, RestoreStep *step, GError **error)
{
  restore->loosened = TRUE;
  gboolean ok = restore->dry_run ? loosen (restore, step, error)
                                 : restore_begin (restore, error) && loosen (restore, step, error)
                                       && restore_commit (restore, error);
  restore->loosened = FALSE;
  if (!ok && !restore->dry_run)
    pg_rollback (restore->pg);
  return ok;
}
