#include "web/page/views.h"

const View VIEWS_TABLE[] = {
  { "/", "Night", view_show_home },
  { "/runs", "Runs", view_show_runs, { "job", "state", "since" } },
  { "/row", "Row", view_show_row, { "item" }, .in_own = TRUE },
  { "/quarantine", "Quarantine", view_show_quarantine, { "job" } },
  { "/holds", "Holds", view_show_holds },
  { "/letters", "Dead letters", view_show_letters, { "id" } },
  { "/processes", "Processes", view_show_processes },
  { "/journal", "Journal", view_show_journal, { "job", "command", "since" } },
  { "/report", "Report", view_show_report, { "since" } },
  { "/job", "Job", view_show_job, { "name" }, TRUE },
  { "/run", "Run", view_show_run, { "id" }, TRUE },
  { "/plan", "Plan", view_show_plan, { "job" }, TRUE, TRUE, TRUE },
  { "/sql", "SQL", view_show_sql, { "job" }, TRUE, TRUE, TRUE },
  { "/act", "Action", view_show_act, { "do", "what" }, TRUE, TRUE },
  { NULL },
};

const View *
views_find (const char *path)
{
  const View *view = VIEWS_TABLE;
  while (view->path != NULL && !g_str_equal (path, view->path))
    view++;
  return view->path != NULL ? view : NULL;
}
