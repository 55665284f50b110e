#include "cli/runs/run_page.h"

#include "cli/runs/run_row.h"
#include "engine/view/run_view.h"

/* --- output ----------------------------------------------------------------------------------- */

static json_t *
objects_of (const Column *columns, const PgRows *rows)
{
  json_t *objects = json_array ();
  for (int i = 0; i < rows_count (rows); i++) {
    json_t *object = json_object ();
    for (const Column *column = columns; column->name != NULL; column++)
      json_object_set_new (object, column->name,
                           cell_from_text (column->type, rows_text (rows, i, column->name)));
    json_array_append_new (objects, object);
  }
  return objects;
}

static void
put_objects (Output *out, const RunView *view)
{
  for (guint i = 0; i < RUN_VIEW_PARTS; i++) {
    g_autoptr (json_t) part = json_object ();
    json_object_set_new (part, run_view_name (i),
                         objects_of (run_view_columns (i, NULL), view->parts[i]));
    output_object (out, part);
  }
  g_autoptr (json_t) last = json_pack ("{s:[]}", "next");
  for (char **next = view->next; *next != NULL; next++)
    json_array_append_new (json_object_get (last, "next"), json_string (*next));
  if (view->removed && view->lost != NULL)
    json_object_set_new (last, "no_restore", json_string (view->lost));
  output_object (out, last);
}

/* `held: 30 rows are above max_rows 20` says its state itself. */
static void
say_result (Output *out, const PgRows *run)
{
  const char *state = rows_text (run, 0, "state");
  g_autofree char *words = run_view_result (run, 0), *says = g_strconcat (state, ": ", NULL);
  if (words == NULL)
    words = g_strdup ("nothing was done");
  output_say (out, "%s", "");
  output_line (out, "%s %s%s", rows_text (run, 0, "job"),
               g_str_has_prefix (words, says) ? "" : says, words);
}

static void
say_parts (Output *out, const RunView *view)
{
  for (guint i = 0; i < RUN_VIEW_PARTS; i++) {
    if (rows_count (view->parts[i]) == 0)
      continue;
    output_say (out, "\n%s", run_view_name (i));
    output_table (out, run_view_columns (i, view->parts[i]));
    output_rows (out, view->parts[i]);
    output_end (out);
  }
  if (view->removed && view->lost != NULL)
    output_line (out, "\nnothing of it can be restored: %s", view->lost);
  if (*view->next != NULL)
    output_say (out, "\nnext");
  for (char **next = view->next; *next != NULL; next++)
    output_say (out, "%s", *next);
}

ExitCode
run_page_show (Cli *cli, Pg *pg, const PgRows *rows, GError **error)
{
  g_auto (RunView) view = { 0 };
  const gboolean ok
      = pg_begin_read_only (pg, error) && run_view_look (&view, pg, cli->jobs, rows, error);
  if (!ok)
    return cli_pg_failed (pg, error);
  pg_rollback (pg);
  run_row_show (cli->out, rows);
  if (output_is_json (cli->out)) {
    put_objects (cli->out, &view);
    return CODE_OK;
  }
  say_result (cli->out, rows);
  say_parts (cli->out, &view);
  return CODE_OK;
}
