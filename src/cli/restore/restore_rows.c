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
  pg_values_set (values, "archived", step->archived);
  return values;
}

/* --- the job's own SQL ------------------------------------------------------------------------ */

static char *
restored_keys (const PgRows *rows)
{
  GString *keys = array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    if (restore_is_restored (rows, i))
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

typedef struct {
  char *why;
  gboolean waits; /* a row that it refers to does not exist (yet) */
} Failure;

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
take_rows (Restore *restore, const RestoreStep *step, Record *record, const PgRows *rows,
           const PgRows *said)
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
    if (restore_is_restored (rows, i) && record->notes != NULL)
      parts[n++] = record->notes;
    if ((parts[n] = said_of (said, key)) != NULL)
      n++;
    Line *line = restore_add_line (restore, record->table, key, action_of (rows, i),
                                   n > 0 ? g_strjoinv ("; ", (char **)parts) : NULL);
    line->incomplete = record->incomplete && restore_is_restored (rows, i);
    line->told = record->keyed && restore_is_restored (rows, i) ? step : NULL;
    if (xid != NULL
        && (restore->own->len == 0
            || !g_str_equal (restore->own->pdata[restore->own->len - 1], xid)))
      g_ptr_array_add (restore->own, g_strdup (xid));
  }
}

/* Why no row of a part can stay that a trigger or a rule, or another type of a column, made other
 * than it was, or kept out: what it did besides must not stay either. NULL: there is none. */
static const char *
kept_out (const PgRows *rows)
{
  const char *why = NULL;
  for (int i = 0; i < rows_count (rows); i++) {
    if (rows_text (rows, i, "key") == NULL)
      return "another row would come of it: a trigger or a rule changes it, or a column has another type now";
    if (rows_bool (rows, i, "kept_out"))
      why = rows_text (rows, i, "reason");
  }
  return why;
}

/* *WHY: why a restored row is not as it was, after its triggers; NULL: all are. */
static gboolean
check_part (Restore *restore, const Record *record, PgValues *values, char **why, GError **error)
{
  if (record->check == NULL)
    return TRUE;
  g_autoptr (PgRows) wrong = pg_run (restore->pg, record->check, values, error);
  if (wrong != NULL && rows_count (wrong) > 0)
    *why = g_strdup (rows_text (wrong, 0, "reason"));
  return wrong != NULL;
}

/* Within a savepoint. FALSE without ERROR: a row is at fault, for FAILURE. */
static gboolean
write_part (Restore *restore, const RestoreStep *step, Record *record, const GArray *part,
            Failure *failure, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (PgRows) rows = NULL, said = NULL;
  g_autoptr (PgValues) values = values_of (restore, step, record, part);
  rows = pg_run (restore->pg, record->statement, values, &cause);
  if (rows != NULL && (failure->why = g_strdup (kept_out (rows))) != NULL)
    return FALSE;
  if (rows != NULL && check_part (restore, record, values, &failure->why, &cause)
      && failure->why != NULL)
    return FALSE;
  if (rows != NULL && cause == NULL && run_jobs_own (restore, step, record, rows, &said, &cause)
      && restore_hold (restore, step, record, rows, &cause)) {
    take_rows (restore, step, record, rows, said);
    return TRUE;
  }
  const char *state = pg_sqlstate (restore->pg);
  if (cause->code != PRUNED_DATA && !(part->len > 1 && g_str_equal (state, TOO_LONG))) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  *failure = (Failure){ g_strdup (cause->message), g_str_equal (state, WAITS) };
  return FALSE;
}

/* TRUE: the rows are restored. FALSE without ERROR: a row is at fault, for FAILURE. */
static gboolean
try_part (Restore *restore, const RestoreStep *step, Record *record, const GArray *part,
          Failure *failure, GError **error)
{
  GError *cause = NULL;
  restore->trials++;
  if (!pg_exec (restore->pg, "SAVEPOINT part", error))
    return FALSE;
  gboolean ok = write_part (restore, step, record, part, failure, &cause);
  if (cause != NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  return (ok || pg_exec (restore->pg, "ROLLBACK TO part", error))
         && pg_exec (restore->pg, "RELEASE part", error) && ok;
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
               const GArray *part, const Failure *failure, GError **error)
{
  if (part->len > 1) {
    guint half = part->len / 2;
    g_queue_push_head (parts, part_new (part, half, part->len - half));
    g_queue_push_head (parts, part_new (part, 0, half));
    return TRUE;
  }
  if (restore->last || !failure->waits)
    return give_up (restore, step, record, part, failure->why, error);
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
    Failure failure = { NULL };
    GError *cause = NULL;
    if (!next_transaction (restore, error))
      return FALSE;
    gboolean ok = try_part (restore, step, record, part, &failure, &cause)
                  || (cause == NULL
                      && after_failure (restore, step, record, parts, part, &failure, &cause));
    g_free (failure.why);
    if (!ok) {
      g_propagate_error (error, cause);
      return FALSE;
    }
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
