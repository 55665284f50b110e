/* A run: what it did and when, and what can come next. */
#include "web/page/parts.h"

#include "base/plural.h"
#include "base/spoken.h"
#include "base/uuid5.h"
#include "base/visible.h"
#include "engine/job/in_force.h"
#include "engine/view/bars.h"
#include "engine/view/run_view.h"

static void
show_about (Sheet *sheet, const PgRows *run)
{
  static const char *const times[][2] = { { "scheduled_at", "T" },
                                          { "due_at", "due" },
                                          { "started_at", "started" },
                                          { "finished_at", "ended" } };
  g_autofree char *result = run_view_result (run, 0);
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "about");
  html_open (sheet->html, HTML_P);
  sheet_link (sheet, "job", "name", rows_text (run, 0, "job"));
  html_add (sheet->html, " · ");
  sheet_state (sheet, run_view_state (run, 0));
  html_add (sheet->html, " · ");
  html_add (sheet->html, result != NULL ? result : "nothing was done");
  html_close (sheet->html);
  html_open (sheet->html, HTML_DL);
  parts_line (sheet, "run", rows_text (run, 0, "run_id"));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    html_text (sheet->html, HTML_DT, times[i][1]);
    html_open (sheet->html, HTML_DD);
    sheet_time (sheet, rows_text (run, 0, times[i][0]));
    html_close (sheet->html);
  }
  parts_line (sheet, "attempts", rows_text (run, 0, "attempts"));
  parts_line (sheet, "arguments", rows_text (run, 0, "args"));
  html_close (sheet->html);
  html_close (sheet->html);
}

/* Its rows over its time, unless all of them went at one moment. */
static gboolean
show_pace (Sheet *sheet, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) pace = view_ask (sheet->pg, VIEW_PACE, values, error);
  if (pace == NULL)
    return FALSE;
  if (rows_count (pace) == 0 && sheet->form == NULL)
    return TRUE;
  gint64 rows = 0, steps = 0;
  for (int i = 0; i < rows_count (pace); i++) {
    rows += rows_int (pace, i, "rows");
    steps += rows_int (pace, i, "steps");
  }
  g_autofree char *number = spoken_number (rows),
                  *most = spoken_number ((gint64)bars_most (pace, "rows")),
                  *says = g_strdup_printf ("%s %s in %" G_GINT64_FORMAT
                                           " %s, at most %s in a thirtieth of its time",
                                           number, plural (rows, "row", "rows"), steps,
                                           plural (steps, "step", "steps"), most);
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "pace");
  html_text (sheet->html, HTML_H2, "Rows over its time");
  bars_show_column (sheet->html, pace, "rows", says);
  html_text (sheet->html, HTML_P, says);
  parts_folded (sheet, VIEW_PACE, pace, "pace-table", "All rows went at one moment.");
  html_close (sheet->html);
  return TRUE;
}

/* Only what there is. */
static void
show_parts (Sheet *sheet, const RunView *view)
{
  static const char *const titles[RUN_VIEW_PARTS]
      = { [RUN_VIEW_PARENT] = "The run that started it",
          [RUN_VIEW_VALUES] = "Values that make its rows due",
          [RUN_VIEW_STEPS] = "Last steps",
          [RUN_VIEW_TABLES] = "Rows by table",
          [RUN_VIEW_CHILDREN] = "Runs that it has started",
          [RUN_VIEW_QUARANTINED] = "Rows that fail",
          [RUN_VIEW_ACTIONS] = "What operators did" };
  for (guint i = 0; i < RUN_VIEW_PARTS; i++) {
    const PgRows *rows = view->parts[i];
    const Column *columns = run_view_columns (i, rows);
    if (rows_count (rows) > 0 || sheet->form != NULL)
      sheet_table (sheet, &(SheetTable){ run_view_name (i), titles[i], columns,
                                         sheet_cells (columns, rows), "None." });
  }
}

gboolean
view_show_run (Sheet *sheet, GError **error)
{
  const char *id = sheet_filter (sheet, "id");
  g_auto (RunView) view = { 0 };
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", id);
  pg_values_set (values, "scheduled_at", NULL);
  if (id == NULL || !uuid5_is_valid (id))
    return parts_missing (sheet, "That is no id of a run.");
  g_autoptr (PgRows) run = view_ask (sheet->pg, VIEW_RUN, values, error);
  if (run == NULL)
    return FALSE;
  if (rows_count (run) == 0)
    return parts_missing (sheet, "There is no such run.");
  if (!run_view_look (&view, sheet->pg, in_force_jobs (), run, error))
    return FALSE;
  if (sheet->form != NULL) /* for machines: the run itself, before its parts */
    view_show_runs_table (sheet, run, NULL);
  show_about (sheet, run);
  parts_commands (sheet, "What can come next", (const char *const *)view.next);
  if (view.removed && view.lost != NULL) {
    g_autofree char *line = visible_line (view.lost),
                    *lost = g_strdup_printf ("Nothing of it can be restored: %s.", line);
    html_text (sheet->html, HTML_P, lost);
  }
  if (!show_pace (sheet, values, error))
    return FALSE;
  show_parts (sheet, &view);
  return TRUE;
}
