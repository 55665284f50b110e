/* Views of one thing: a job, a run. */
#include "web/page/act.h"
#include "web/page/views.h"

#include "base/uuid5.h"
#include "base/visible.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/sentence.h"
#include "engine/view/bars.h"
#include "engine/view/run_view.h"

#include <string.h>

static gboolean
say_missing (Sheet *sheet, const char *what)
{
  sheet->status = 404;
  html_text (sheet->html, HTML_P, what);
  return TRUE;
}

/* A line of a list of names and texts; TEXT NULL: none. */
static void
say (Sheet *sheet, const char *name, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  html_text (sheet->html, HTML_DT, name);
  html_text (sheet->html, HTML_DD, text);
}

static void
show_commands (Sheet *sheet, const char *title, const char *const *commands)
{
  if (*commands == NULL)
    return;
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "next");
  html_text (sheet->html, HTML_H2, title);
  html_open (sheet->html, HTML_DIV);
  html_set (sheet->html, HTML_AT_CLASS, "commands");
  for (; *commands != NULL; commands++)
    sheet_command (sheet, *commands);
  html_close (sheet->html);
  html_close (sheet->html);
}

/* --- a job ------------------------------------------------------------------------------------ */

static const Column SETTINGS[] = { { "setting" }, { "value" }, { "from" }, { NULL } };

typedef struct {
  char *prefix; /* of the job's settings */
  json_t *cells;
} Settings;

static void
on_setting (const char *key, const char *value, const char *origin, gpointer data)
{
  Settings *settings = data;
  if (g_str_has_prefix (key, settings->prefix))
    json_array_append_new (settings->cells,
                           json_pack ("[s, s, s]", key + strlen (settings->prefix), value, origin));
}

static void
show_settings (Sheet *sheet, const char *job)
{
  g_autofree char *prefix = g_strdup_printf ("jobs.%s.", job);
  Settings settings = { prefix, json_array () };
  config_each (in_force_config (), on_setting, &settings);
  sheet_table (sheet, &(SheetTable){ "settings", "Settings in force", SETTINGS, settings.cells,
                                     "This process has no settings of the job." });
}

/* The rule as it was written; of a built-in job its page says it. */
static void
show_rule (Sheet *sheet, const char *name)
{
  const Job *job = jobs_find_loaded (in_force_jobs (), name);
  g_autofree char *page = g_strconcat ("docs/jobs/", name, ".md", NULL),
                  *show = g_strdup_printf ("pruned jobs show %s", name),
                  *plan = g_strdup_printf ("pruned plan %s", name);
  const char *commands[] = { plan, show, NULL };
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "rule");
  html_text (sheet->html, HTML_H2, "Rule");
  html_open (sheet->html, HTML_DL);
  if (job != NULL && job->sentence != NULL) {
    say (sheet, "table", job->sentence->table);
    say (sheet, "where", job->sentence->where != NULL ? job->sentence->where : "every row");
    say (sheet, "due", job->sentence->due);
    say (sheet, "written in", job->sentence->place);
  } else if (job != NULL) {
    say (sheet, "table", job->table);
    say (sheet, "described in", job->built_in ? page : job->folder);
  } else
    say (sheet, "rule", "This process does not have the job.");
  html_close (sheet->html);
  html_close (sheet->html);
  show_commands (sheet, "What a run would do, and its SQL", commands);
}

/* -1: the night does not have it. */
static int
row_of (const PgRows *rows, const char *job)
{
  for (int i = 0; i < rows_count (rows); i++)
    if (g_str_equal (rows_text (rows, i, "job"), job))
      return i;
  return -1;
}

static void
show_state (Sheet *sheet, const PgRows *night, int row, const PgRows *nights, const char *name)
{
  g_autofree char *says = night_says (night, row);
  g_auto (GStrv) commands = night_commands (night, row);
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "state");
  html_open (sheet->html, HTML_P);
  sheet_state (sheet, says);
  html_add (sheet->html, " · next tick ");
  sheet_time (sheet, rows_text (night, row, "next_at"));
  html_close (sheet->html);
  bars_show (sheet->html, nights, name);
  html_close (sheet->html);
  show_commands (sheet, "What a person can do", (const char *const *)commands);
}

gboolean
view_show_job (Sheet *sheet, GError **error)
{
  const char *name = sheet_filter (sheet, "name");
  if (name == NULL)
    return say_missing (sheet, "Which job? Add ?name=JOB.");
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", name);
  pg_values_set (values, "state", NULL);
  pg_values_set (values, "since", NULL);
  pg_values_set (values, "parents", "false");
  pg_values_int (values, "limit", 20);
  view_bind_archive (sheet, values);
  g_autoptr (PgRows) night = night_ask (sheet->pg, sheet->night, NULL, error);
  g_autoptr (PgRows) nights
      = night != NULL ? view_ask (sheet->pg, VIEW_NIGHTS, values, error) : NULL;
  g_autoptr (PgRows) runs = nights != NULL ? view_ask (sheet->pg, VIEW_RUNS, values, error) : NULL;
  if (runs == NULL)
    return FALSE;
  const int row = row_of (night, name);
  if (row < 0 && rows_count (runs) == 0 && rows_count (nights) == 0)
    return say_missing (sheet, "There is no such job.");
  html_text (sheet->html, HTML_H2, name);
  act_show_links (sheet, ACT_OF_JOB, name);
  if (row >= 0)
    show_state (sheet, night, row, nights, name);
  view_show_runs_table (sheet, runs, "Runs of the last eight days");
  if (!sheet_view (sheet, VIEW_REASONS, values, "Why rows fail", "No row fails.", error)
      || !sheet_view (sheet, VIEW_NIGHTS, values, "Nights", "It has not run yet.", error))
    return FALSE;
  show_rule (sheet, name);
  show_settings (sheet, name);
  return TRUE;
}

/* --- a run ------------------------------------------------------------------------------------ */

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
  say (sheet, "run", rows_text (run, 0, "run_id"));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    html_text (sheet->html, HTML_DT, times[i][1]);
    html_open (sheet->html, HTML_DD);
    sheet_time (sheet, rows_text (run, 0, times[i][0]));
    html_close (sheet->html);
  }
  say (sheet, "attempts", rows_text (run, 0, "attempts"));
  say (sheet, "arguments", rows_text (run, 0, "args"));
  html_close (sheet->html);
  html_close (sheet->html);
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
    return say_missing (sheet, "That is no id of a run.");
  g_autoptr (PgRows) run = view_ask (sheet->pg, VIEW_RUN, values, error);
  if (run == NULL)
    return FALSE;
  if (rows_count (run) == 0)
    return say_missing (sheet, "There is no such run.");
  if (!run_view_look (&view, sheet->pg, in_force_jobs (), run, error))
    return FALSE;
  if (sheet->form != NULL) /* for machines: the run itself, before its parts */
    view_show_runs_table (sheet, run, NULL);
  show_about (sheet, run);
  show_commands (sheet, "What can come next", (const char *const *)view.next);
  if (view.removed && view.lost != NULL) {
    g_autofree char *line = visible_line (view.lost),
                    *lost = g_strdup_printf ("Nothing of it can be restored: %s.", line);
    html_text (sheet->html, HTML_P, lost);
  }
  show_parts (sheet, &view);
  return TRUE;
}
