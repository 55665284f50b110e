#include "cli/runs/run_row.h"

#include "base/spoken.h"
#include "base/uuid5.h"
#include "base/words.h"
#include "engine/view/view.h"

#include <string.h>

void
run_row_show (Output *out, const PgRows *rows)
{
  const Column *run_columns = view_columns (VIEW_RUN);
  if (output_is_json (out)) {
    output_record (out, run_columns, rows, 0);
    return;
  }
  g_autoptr (GArray) columns = g_array_new (TRUE, TRUE, sizeof (Column));
  json_t *cells = json_array ();
  for (Column column = *run_columns; column.name != NULL; column = *++run_columns) {
    const char *text = rows_text (rows, 0, column.name);
    json_t *cell = cell_from_text (column.type, text);
    if (text != NULL && g_str_equal (column.name, "result")) {
      g_autofree char *words = words_of_whole (cell);
      column.type = CELL_TEXT;
      json_decref (cell);
      cell = json_string (words);
    }
    if (text != NULL && g_str_equal (column.name, "status")) {
      json_decref (cell);
      cell = json_string (spoken_word (text));
    }
    json_array_append_new (cells, cell);
    g_array_append_val (columns, column);
  }
  output_record_cells (out, (const Column *)(gpointer)columns->data, cells);
}

gboolean
run_row_ended_well (const PgRows *rows)
{
  const char *status = rows_text (rows, 0, "status");
  return g_str_equal (rows_text (rows, 0, "state"), "finished")
         && g_strcmp0 (status, "blocked") != 0 && g_strcmp0 (status, "failed") != 0;
}

PgRows *
run_row_find (Pg *pg, const char *run_id, gint64 at_us, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  if (at_us >= 0)
    pg_values_time (values, "scheduled_at", at_us);
  else
    pg_values_set (values, "scheduled_at", NULL);
  if (!pg_begin (pg, error))
    return NULL;
  PgRows *rows = view_ask (pg, VIEW_RUN, values, error);
  pg_rollback (pg);
  return rows;
}

#define LEAST 1 /* digits of a prefix */

/* PREFIX with DIGIT in place of what is missing of an id. NULL: no id begins so. */
static char *
filled (const char *prefix, char digit)
{
  char *id = g_strdup (PRUNED_UUID_NAMESPACE);
  for (guint i = 0; id[i] != '\0'; i++)
    if (id[i] != '-')
      id[i] = digit;
  for (guint i = 0; prefix[i] != '\0'; i++) {
    if (id[i] == '\0' || (id[i] == '-') != (prefix[i] == '-')
        || (prefix[i] != '-' && !g_ascii_isxdigit (prefix[i]))) {
      g_free (id);
      return NULL;
    }
    id[i] = prefix[i];
  }
  return id;
}

char *
run_row_complete (Pg *pg, const char *prefix, ExitCode *code, GError **error)
{
  g_autofree char *first = strlen (prefix) >= LEAST ? filled (prefix, '0') : NULL;
  *code = CODE_NOT_FOUND;
  if (first == NULL || uuid5_is_valid (prefix))
    return g_strdup (prefix); /* run_row_get says what is wrong with it */
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "first", first);
  pg_values_take (values, "last", filled (prefix, 'f'));
  g_autoptr (PgRows) rows = pg_begin_read_only (pg, error)
                                ? pg_run_file (pg, "src/cli/runs/sql/run_prefix.sql", values, error)
                                : NULL;
  pg_rollback (pg);
  if (rows == NULL)
    *code = cli_pg_failed (pg, error);
  else if (rows_count (rows) > 1)
    *code = cli_usage (error, "several runs begin with '%s': %s, %s, ...", prefix,
                       rows_text (rows, 0, "run_id"), rows_text (rows, 1, "run_id"));
  else
    return g_strdup (rows_count (rows) > 0 ? rows_text (rows, 0, "run_id") : prefix);
  return NULL;
}

PgRows *
run_row_get (Pg *pg, const char *run_id, ExitCode *code, GError **error)
{
  g_autoptr (PgRows) rows = NULL;
  *code = CODE_NOT_FOUND;
  if (uuid5_is_valid (run_id) && (rows = run_row_find (pg, run_id, -1, error)) == NULL) {
    *code = cli_pg_failed (pg, error);
    return NULL;
  }
  if (rows != NULL && rows_count (rows) > 0)
    return g_steal_pointer (&rows);
  cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", run_id);
  return NULL;
}
