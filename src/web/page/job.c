/* A job: its state and rule, and how near its runs were to its limits. */
#include "web/page/act.h"
#include "web/page/parts.h"

#include "base/clock.h"
#include "base/spoken.h"
#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/sentence.h"
#include "engine/view/bars.h"

#include <string.h>

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

/* Views of the job that cost more than this one. */
static void
show_more (Sheet *sheet, const char *name)
{
  static const char *const views[][2]
      = { { "plan", "What a run of now would do" }, { "sql", "Its SQL" } };
  html_open (sheet->html, HTML_P);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    g_autofree char *link = html_link (views[i][0], "job", name, NULL);
    html_add (sheet->html, i > 0 ? " · " : "");
    html_open (sheet->html, HTML_A);
    html_set (sheet->html, HTML_AT_HREF, link);
    html_add (sheet->html, views[i][1]);
    html_close (sheet->html);
  }
  html_close (sheet->html);
}

/* The rule as it was written; of a built-in job its page says it. */
static void
show_rule (Sheet *sheet, const char *name)
{
  const Job *job = jobs_find_loaded (in_force_jobs (), name);
  g_autofree char *page = g_strconcat ("docs/jobs/", name, ".md", NULL);
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "rule");
  html_text (sheet->html, HTML_H2, "Rule");
  html_open (sheet->html, HTML_DL);
  if (job != NULL && job->sentence != NULL) {
    parts_line (sheet, "table", job->sentence->table);
    parts_line (sheet, "where", job->sentence->where != NULL ? job->sentence->where : "every row");
    parts_line (sheet, "due", job->sentence->due);
    parts_line (sheet, "written in", job->sentence->place);
  } else if (job != NULL) {
    parts_line (sheet, "table", job->table);
    parts_line (sheet, "described in", job->built_in ? page : job->folder);
  } else
    parts_line (sheet, "rule", "This process does not have the job.");
  html_close (sheet->html);
  if (job != NULL)
    show_more (sheet, name);
  html_close (sheet->html);
}

/* --- limits and holds ------------------------------------------------------------------------- */

static const Column LIMITS[]
    = { { "limit" }, { "setting" }, { "nearest", CELL_NUMBER }, { "run_id" }, { NULL } };

/* What stands in NEAR for the limits that count rows; of the others a plan says it. */
static void
add_limit (json_t *cells, const char *name, const json_t *setting, const PgRows *near)
{
  static const struct {
    const char *limit, *rows, *run;
  } counted[]
      = { { "max_rows", "of_run", "run_id" }, { "max_rows_per_day", "of_day", "day_run_id" } };
  const char *rows = NULL, *run = NULL;
  g_autofree char *text = json_is_string (setting) ? g_strdup (json_string_value (setting))
                                                   : spoken_number (json_integer_value (setting));
  for (guint i = 0; i < G_N_ELEMENTS (counted); i++)
    if (g_str_equal (counted[i].limit, name)) {
      rows = rows_text (near, 0, counted[i].rows);
      run = rows_text (near, 0, counted[i].run);
    }
  json_array_append_new (
      cells, json_pack ("[s, s, o, s?]", name, text, cell_from_text (CELL_NUMBER, rows), run));
}

static gboolean
show_limits (Sheet *sheet, const Job *job, GError **error)
{
  const char *name;
  json_t *setting;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  pg_values_time (values, "since", clock_now_us () - VIEWS_ARCHIVE_US);
  g_autoptr (PgRows) near = view_ask (sheet->pg, VIEW_NEAR, values, error);
  if (near == NULL)
    return FALSE;
  g_autoptr (json_t) settings = limits_settings (job);
  json_t *cells = json_array ();
  json_object_foreach (settings, name, setting)
    add_limit (cells, name, setting, near);
  sheet_table (sheet, &(SheetTable){ "limits", "Limits, and the most rows of eight days", LIMITS,
                                     cells, "The job has no limit." });
  return TRUE;
}

/* Of its table and of those whose rows go with it. */
static gboolean
show_held (Sheet *sheet, const Job *job, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GString *tables = array_new ();
  if (job->table != NULL)
    array_add (tables, job->table);
  for (guint i = 0; job->sentence != NULL && i < job->sentence->children->len; i++)
    array_add (tables, ((const SentenceChild *)job->sentence->children->pdata[i])->table);
  pg_values_take (values, "tables", array_take (tables));
  view_bind_limit (sheet, values);
  return sheet_view (sheet, VIEW_HELD_ROWS, values, "Rows of its tables that are held",
                     "No row is held.", error);
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
  parts_commands (sheet, "What a person can do", (const char *const *)commands);
}

gboolean
view_show_job (Sheet *sheet, GError **error)
{
  const char *name = sheet_filter (sheet, "name");
  if (name == NULL)
    return parts_missing (sheet, "Which job? Add ?name=JOB.");
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
    return parts_missing (sheet, "There is no such job.");
  html_text (sheet->html, HTML_H2, name);
  act_show_links (sheet, ACT_OF_JOB, name);
  if (row >= 0)
    show_state (sheet, night, row, nights, name);
  view_show_runs_table (sheet, runs, "Runs of the last eight days");
  if (!sheet_view (sheet, VIEW_REASONS, values, "Why rows fail", "No row fails.", error)
      || !sheet_view (sheet, VIEW_NIGHTS, values, "Nights", "It has not run yet.", error))
    return FALSE;
  const Job *job = jobs_find_loaded (in_force_jobs (), name);
  if (job != NULL && (!show_limits (sheet, job, error) || !show_held (sheet, job, error)))
    return FALSE;
  show_rule (sheet, name);
  show_settings (sheet, name);
  return TRUE;
}
