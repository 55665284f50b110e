/* Views that are lists. */
#include "web/page/views.h"

#include "base/clock.h"
#include "engine/clock/processes.h"
#include "engine/job/in_force.h"
#include "engine/view/bars.h"
#include "engine/view/report/report.h"
#include "engine/view/run_view.h"

#define FORM_ROWS 10000 /* of CSV and JSON */

void
view_bind_limit (const Sheet *sheet, PgValues *values)
{
  pg_values_int (values, "limit", sheet->form != NULL ? FORM_ROWS : SHEET_ROWS);
}

/* FALSE: it is no time. */
static gboolean
bind_since (const Sheet *sheet, PgValues *values, GError **error)
{
  gint64 us;
  const char *since = sheet_filter (sheet, "since");
  if (since == NULL)
    pg_values_set (values, "since", NULL);
  else if (!clock_parse_loose (since, clock_now_us (), &us, error))
    return FALSE;
  else
    pg_values_time (values, "since", us);
  return TRUE;
}

/* --- runs ------------------------------------------------------------------------------------- */

static const Column RUNS[] = {
  { "run_id" }, { "job" }, { "state" }, { "scheduled_at", CELL_TIME }, { "finished_at", CELL_TIME },
  { "result" }, { NULL }
};

static json_t *
run_in_words (const PgRows *rows, int row)
{
  g_autofree char *result = run_view_result (rows, row);
  return json_pack ("[s, s, s, o, o, s?]", rows_text (rows, row, "run_id"),
                    rows_text (rows, row, "job"), run_view_state (rows, row),
                    cell_from_text (CELL_TIME, rows_text (rows, row, "scheduled_at")),
                    cell_from_text (CELL_TIME, rows_text (rows, row, "finished_at")), result);
}

void
view_show_runs_table (Sheet *sheet, const PgRows *rows, const char *title)
{
  json_t *cells = json_array ();
  for (int i = 0; sheet->form == NULL && i < rows_count (rows); i++)
    json_array_append_new (cells, run_in_words (rows, i));
  if (sheet->form != NULL) {
    json_decref (cells);
    cells = sheet_cells (view_columns (VIEW_RUNS), rows);
  }
  sheet_table (sheet,
               &(SheetTable){ "runs", title, sheet->form != NULL ? view_columns (VIEW_RUNS) : RUNS,
                              cells, "No run." });
}

void
view_bind_archive (const Sheet *sheet, PgValues *values)
{
  if (sheet_filter (sheet, "since") != NULL)
    pg_values_set (values, "archive_from", NULL);
  else
    pg_values_time (values, "archive_from", clock_now_us () - VIEWS_ARCHIVE_US);
}

gboolean
view_show_runs (Sheet *sheet, GError **error)
{
  static const char *const filters[] = { "job", "state", "since", NULL }, *const bound[]
                                                                          = { "job", "state",
                                                                              NULL };
  g_autoptr (PgValues) values = pg_values_new ();
  sheet_bind (sheet, values, bound);
  view_bind_limit (sheet, values);
  pg_values_set (values, "parents", "false");
  view_bind_archive (sheet, values);
  if (!bind_since (sheet, values, error))
    return FALSE;
  sheet_form (sheet, filters);
  g_autoptr (PgRows) rows = view_ask (sheet->pg, VIEW_RUNS, values, error);
  if (rows != NULL)
    view_show_runs_table (sheet, rows,
                          sheet_filter (sheet, "since") != NULL
                              ? "Runs, the newest first"
                              : "Runs of the last eight days, the newest first");
  return rows != NULL;
}

/* --- a report --------------------------------------------------------------------------------- */

/* As `pruned report --format html`, from the same parts. What is overdue is what the processes have
 * last found. */
static void
show_report (Sheet *sheet, const Report *report)
{
  html_text (sheet->html, HTML_P, report->title);
  if (report->note != NULL)
    html_text (sheet->html, HTML_P, report->note);
  bars_show (sheet->html, report->nights, NULL);
  for (guint i = 0; i < report->parts->len; i++) {
    const ReportPart *part = &g_array_index (report->parts, ReportPart, i);
    sheet_table (sheet, &(SheetTable){ part->name, part->title, part->columns,
                                       json_incref (part->rows), part->none });
  }
}

gboolean
view_show_report (Sheet *sheet, GError **error)
{
  static const char *const filters[] = { "since", NULL };
  gint64 since_us;
  const char *since = sheet_filter (sheet, "since");
  g_auto (Report) report = { 0 };
  if (!clock_parse_loose (since != NULL ? since : "-1d", clock_now_us (), &since_us, error))
    return FALSE;
  sheet_form (sheet, filters);
  g_autoptr (PgRows) overdue = night_ask (sheet->pg, sheet->night, NULL, error);
  if (overdue == NULL
      || !report_look (&report, sheet->pg, in_force_jobs (), overdue, since_us, error))
    return FALSE;
  show_report (sheet, &report);
  return TRUE;
}

/* --- the others ------------------------------------------------------------------------------- */

gboolean
view_show_quarantine (Sheet *sheet, GError **error)
{
  static const char *const filters[] = { "job", NULL };
  g_autoptr (PgValues) values = pg_values_new ();
  sheet_bind (sheet, values, filters);
  view_bind_limit (sheet, values);
  pg_values_set (values, "all", "true");
  view_bind_days (values, in_force_jobs (), in_force_config ());
  sheet_form (sheet, filters);
  if (!sheet_view (sheet, VIEW_REASONS, values, "Why rows fail", "No row fails.", error)
      || !sheet_view (sheet, VIEW_QUARANTINE, values, "Rows", "No row fails.", error))
    return FALSE;
  html_open (sheet->html, HTML_P);
  html_add (sheet->html, "Rows are tried again by themselves; parked ones by ");
  sheet_command (sheet, "pruned quarantine retry JOB");
  html_close (sheet->html);
  return TRUE;
}

/* Each hold with what ends it; for machines, as the command has them. */
static void
show_holds (Sheet *sheet, const PgRows *rows)
{
  g_autoptr (GArray) columns = g_array_new (TRUE, TRUE, sizeof (Column));
  const Column command = { "commands", CELL_JSON, .derived = TRUE };
  for (const Column *column = view_columns (VIEW_HOLDS); column->name != NULL; column++)
    g_array_append_vals (columns, column, 1);
  g_array_append_val (columns, command);
  json_t *cells = sheet_cells (view_columns (VIEW_HOLDS), rows);
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *release
        = g_strdup_printf ("pruned release %s", rows_text (rows, i, "hold_id"));
    json_array_append_new (json_array_get (cells, (size_t)i), json_pack ("[s]", release));
  }
  sheet_table (sheet,
               &(SheetTable){ view_name (VIEW_HOLDS), "What no job takes",
                              &g_array_index (columns, Column, 0), cells, "No row is held." });
}

gboolean
view_show_holds (Sheet *sheet, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (PgRows) holds = view_ask (sheet->pg, VIEW_HOLDS, NULL, error);
  if (holds == NULL)
    return FALSE;
  show_holds (sheet, holds);
  pg_values_set (values, "tables", NULL);
  view_bind_limit (sheet, values);
  return sheet_view (sheet, VIEW_HELD_ROWS, values, "Each row", "No row is held.", error);
}

gboolean
view_show_processes (Sheet *sheet, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return sheet_view (sheet, VIEW_PROCESSES, values, "Running processes", "No process runs.", error)
         && sheet_view (sheet, VIEW_REFUSED, values, "Jobs that they refuse", "No job is refused.",
                        error);
}

gboolean
view_show_journal (Sheet *sheet, GError **error)
{
  static const char *const filters[] = { "job", "command", "since", NULL }, *const bound[]
                                                                            = { "job", "command",
                                                                                NULL };
  g_autoptr (PgValues) values = pg_values_new ();
  sheet_bind (sheet, values, bound);
  view_bind_limit (sheet, values);
  if (!bind_since (sheet, values, error))
    return FALSE;
  sheet_form (sheet, filters);
  return sheet_view (sheet, VIEW_JOURNAL, values, "Who changed what, the newest first",
                     "Nobody has changed anything.", error);
}
