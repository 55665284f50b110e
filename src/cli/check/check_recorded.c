/* What the audit will not have of the rows that a job removes or changes. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "engine/ledger/unrecorded.h"

#include <string.h>

#define LOSES "src/cli/check/sql/json_loses.sql"

#define REMEDY "if it is no secret, say record = %s; if the rows need not come back, audit = keys"
#define REMEDY_BUILT_IN "if the rows need not come back, say [audit] rows_of = %s: keys"

/* A job of the program has no `record`. */
static char *
remedy_of (const Job *job, const char *column)
{
  const char *end = job->built_in ? strrchr (column, '.') : NULL;
  g_autofree char *table = end != NULL ? g_strndup (column, (gsize)(end - column)) : NULL;
  return table != NULL ? g_strdup_printf (REMEDY_BUILT_IN, table)
                       : g_strdup_printf (REMEDY, column);
}

static void
say_column (Check *check, const Unrecorded *column)
{
  g_autofree char *remedy = remedy_of (check->job, column->column);
  if (column->vain)
    check_error (check, CODE_CONFIG, "record", check_place_of_key (check, "record"), NULL,
                 "record = %s: %s", column->column, column->why);
  else if (column->lost && check->job->final != NULL)
    check_ok (check, "record", "%s is not recorded", column->column);
  else if (column->lost)
    check_error (check, CODE_CONFIG, "record", check_place (check), remedy,
                 "%s is not recorded, and %s", column->column, column->why);
  else
    check_warn (check, "record", check_place (check), NULL, "%s is not recorded: %s",
                column->column, column->why);
}

/* --- values whose JSON is not their text --- */

/* The files of a folder that remove or change rows (JobApply). */
static GPtrArray *
files_of (const Job *job)
{
  GPtrArray *files = g_ptr_array_new ();
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++)
      if (g_array_index (apply, JobApply, k).kind != APPLY_INSERT)
        g_ptr_array_add (files, &g_array_index (apply, JobApply, k));
  }
  return files;
}

/* The file at PATH returns `*` alone of the rows: it does not name the column. */
static gboolean
leaves_to_json (const char *path, const char *column)
{
  g_autofree char *text = resource_sql (path, NULL), *literal = g_strdup_printf ("'%s'", column);
  return text != NULL && strstr (text, literal) == NULL;
}

static void
say_lost (Check *check, const JobApply *file, const PgRows *rows, int row)
{
  const char *name = pg_statement_name (file->statement), *end = strstr (name, ".sql#");
  g_autofree char *path
      = end != NULL ? g_strndup (name, (gsize)(end + strlen (".sql") - name)) : g_strdup (name);
  const char *column = rows_text (rows, row, "name"), *quoted = rows_text (rows, row, "quoted");
  if (!leaves_to_json (path, column))
    return;
  g_autofree char *remedy = g_strdup_printf (
      "RETURNING ..., pg_catalog.to_jsonb(t.*) || pg_catalog.jsonb_build_object('%s', CASE WHEN "
      "t.%s IS DISTINCT FROM NULL THEN pg_catalog.format('%%s', t.%s) END) AS row",
      column, quoted, quoted);
  check_error (check, CODE_CONFIG, "record", (CheckPlace){ path, 0 }, remedy,
               "%s of %s is %s, whose JSON is another value than its text: the rows cannot be put "
               "back as they were",
               quoted, file->table, rows_text (rows, row, "type"));
}

/* Sentences record such values as texts. */
static void
check_texts (Check *check)
{
  const Job *job = check->job;
  const char *audit
      = job->audit != NULL ? job->audit : config_text (check->cli->config, "audit", "rows");
  if (!job_is_own_folder (job) || job->final != NULL || !g_str_equal (audit, "full"))
    return;
  g_autoptr (GPtrArray) files = files_of (job);
  GString *tables = array_new ();
  for (guint i = 0; i < files->len; i++)
    array_add (tables, ((const JobApply *)files->pdata[i])->table);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tab", array_take (tables));
  g_autoptr (PgRows) rows = check_ask (check, "record", LOSES, values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    say_lost (check, files->pdata[rows_int (rows, i, "place") - 1], rows, i);
}

/* Columns (Unrecorded) that the audit leaves out. NULL: that could not be asked, which is a
 * finding. */
static GPtrArray *
find_unrecorded (Check *check)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *columns = pg_begin_read_only (check->pg, &error)
                           ? unrecorded_find (check->pg, check->job, &error)
                           : NULL;
  pg_rollback (check->pg);
  if (columns != NULL)
    return columns;
  check->away |= error->code == PRUNED_OUTAGE;
  check_error (check, CODE_POSTGRES, "record", (CheckPlace){ 0 },
               check_remedy (check, CODE_POSTGRES, error), "could not be checked: %s",
               error->message);
  return NULL;
}

void
check_lost (Check *check)
{
  if (!check_can_run (check) || check->job->final != NULL)
    return;
  g_autoptr (GPtrArray) columns = find_unrecorded (check);
  for (guint i = 0; columns != NULL && i < columns->len; i++) {
    const Unrecorded *column = columns->pdata[i];
    g_autofree char *remedy = remedy_of (check->job, column->column);
    if (column->lost)
      check_error (check, CODE_CONFIG, "record", check_place (check), NULL,
                   "%s is not recorded, and %s; %s", column->column, column->why, remedy);
  }
}

void
check_recorded (Check *check)
{
  if (!check_can_run (check))
    return;
  g_autoptr (GPtrArray) columns = find_unrecorded (check);
  for (guint i = 0; columns != NULL && i < columns->len; i++)
    say_column (check, columns->pdata[i]);
  check_texts (check);
}
