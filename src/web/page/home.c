/* Home: whether last night was right, in three sentences; what needs a person; the jobs. */
#include "web/page/home.h"

#include "base/plural.h"
#include "base/spoken.h"
#include "engine/clock/processes.h"
#include "engine/view/bars.h"
#include "web/page/parts.h"

#include <math.h>

static void
home_clear (Home *home)
{
  PgRows **rows[] = { &home->jobs,     &home->nights, &home->overdue, &home->delays,
                      &home->readings, &home->read,   &home->refused, &home->stop };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_clear_pointer (rows[i], rows_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Home, home_clear)

static gboolean
look (Home *home, GError **error)
{
  Pg *pg = home->sheet->pg;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  pg_values_set (values, "job", NULL);
  return (home->jobs = night_ask (pg, home->sheet->night, NULL, error)) != NULL
         && (home->nights = view_ask (pg, VIEW_NIGHTS, values, error)) != NULL
         && (home->overdue = view_ask (pg, VIEW_OVERDUE, values, error)) != NULL
         && (home->delays = view_ask (pg, VIEW_DELAYS, values, error)) != NULL
         && (home->readings = view_ask (pg, VIEW_READINGS, values, error)) != NULL
         && (home->read = view_ask (pg, VIEW_READ, values, error)) != NULL
         && (home->refused = view_ask (pg, VIEW_REFUSED, values, error)) != NULL
         && (home->stop = view_ask (pg, VIEW_STOP, values, error)) != NULL;
}

/* --- what needs a person ---------------------------------------------------------------------- */

static void
show_need (const Home *home, const char *job, const char *says, const char *const *commands)
{
  Html *html = home->sheet->html;
  html_open (html, HTML_LI);
  if (job != NULL)
    sheet_link (home->sheet, "job", "name", job);
  html_add (html, job != NULL ? ": " : "");
  html_add (html, says);
  html_open (html, HTML_DIV);
  html_set (html, HTML_AT_CLASS, "commands");
  for (; *commands != NULL; commands++)
    sheet_command (home->sheet, *commands);
  html_close (html);
  html_close (html);
}

static void
show_needs (const Home *home)
{
  static const char *const go[] = { "pruned go", NULL }, *const doctor[]
                                                         = { "pruned doctor", NULL };
  Html *html = home->sheet->html;
  if (home_sentences_needs (home) == 0)
    return;
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "needs");
  html_text (html, HTML_H2, "What needs a person");
  html_open (html, HTML_UL);
  html_set (html, HTML_AT_CLASS, "needs");
  for (int i = 0; i < rows_count (home->stop); i++) {
    g_autofree char *says
        = g_strdup_printf ("Everything is stopped by %s", rows_text (home->stop, i, "by"));
    show_need (home, NULL, says, go);
  }
  for (int i = 0; i < rows_count (home->refused); i++)
    show_need (home, rows_text (home->refused, i, "job"), rows_text (home->refused, i, "reason"),
               doctor);
  for (int i = 0; i < rows_count (home->jobs); i++) {
    g_autofree char *says = night_says (home->jobs, i);
    g_auto (GStrv) commands = night_commands (home->jobs, i);
    if (rows_bool (home->jobs, i, "needs"))
      show_need (home, rows_text (home->jobs, i, "job"), says, (const char *const *)commands);
  }
  html_close (html);
  html_close (html);
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* A number with commas, or a dash. */
static void
add_amount (Sheet *sheet, const char *text)
{
  g_autofree char *number
      = text != NULL ? spoken_number (llround (g_ascii_strtod (text, NULL))) : g_strdup ("–");
  html_open (sheet->html, HTML_TD);
  html_set (sheet->html, HTML_AT_CLASS, "n");
  html_add (sheet->html, number);
  html_close (sheet->html);
}

static void
show_job (const Home *home, int row)
{
  Sheet *sheet = home->sheet;
  Html *html = sheet->html;
  const char *job = rows_text (home->jobs, row, "job");
  g_autofree char *says = night_says (home->jobs, row);
  html_open (html, HTML_TR);
  html_open (html, HTML_TH);
  html_set (html, HTML_AT_SCOPE, "row");
  sheet_link (sheet, "job", "name", job);
  html_close (html);
  html_open (html, HTML_TD);
  bars_show (html, home->nights, job);
  html_close (html);
  add_amount (sheet, rows_text (home->jobs, row, "rows"));
  add_amount (sheet, rows_text (home->jobs, row, "median"));
  html_open (html, HTML_TD);
  sheet_state (sheet, says);
  html_close (html);
  static const char *const times[] = { "last_ended", "next_at" };
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    html_open (html, HTML_TD);
    sheet_time (sheet, rows_text (home->jobs, row, times[i]));
    html_close (html);
  }
  html_close (html);
}

static void
show_jobs (const Home *home)
{
  static const char *const heads[]
      = { "job", "30 nights", "did", "usual", "state", "last run", "next" };
  Html *html = home->sheet->html;
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "jobs");
  html_text (html, HTML_H2, "Jobs");
  html_open (html, HTML_DIV);
  html_set (html, HTML_AT_CLASS, "wide");
  html_set (html, HTML_AT_TABINDEX, "0");
  html_set (html, HTML_AT_ROLE, "region");
  html_set (html, HTML_AT_LABEL, "Jobs");
  html_open (html, HTML_TABLE);
  html_open (html, HTML_THEAD);
  html_open (html, HTML_TR);
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++) {
    html_open (html, HTML_TH);
    html_set (html, HTML_AT_SCOPE, "col");
    html_set (html, HTML_AT_CLASS, i == 2 || i == 3 ? "n" : NULL);
    html_add (html, heads[i]);
    html_close (html);
  }
  html_close (html);
  html_close (html);
  html_open (html, HTML_TBODY);
  for (int i = 0; i < rows_count (home->jobs); i++)
    show_job (home, i);
  html_close (html);
  html_close (html);
  html_close (html);
  html_close (html);
}

/* --- */

static const Column JOBS[] = { { "job" },
                               { "state" },
                               { "says" },
                               { "needs_somebody", CELL_BOOL },
                               { "rows", CELL_NUMBER },
                               { "usual", CELL_NUMBER },
                               { "failing", CELL_NUMBER },
                               { "overdue", CELL_NUMBER },
                               { "last_ended_at", CELL_TIME },
                               { "next_at", CELL_TIME },
                               { NULL } };

/* For machines: the jobs, before other tables. */
static void
give_jobs (const Home *home)
{
  const PgRows *rows = home->jobs;
  json_t *cells = json_array ();
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *says = night_says (rows, i);
    json_array_append_new (
        cells, json_pack ("[s, s, s, b, o, o, o, o, o, o]", rows_text (rows, i, "job"),
                          rows_text (rows, i, "state"), says, rows_bool (rows, i, "needs"),
                          cell_from_text (CELL_NUMBER, rows_text (rows, i, "rows")),
                          cell_from_text (CELL_NUMBER, rows_text (rows, i, "median")),
                          cell_from_text (CELL_NUMBER, rows_text (rows, i, "failing")),
                          cell_from_text (CELL_NUMBER, rows_text (rows, i, "overdue_missed")),
                          cell_from_text (CELL_TIME, rows_text (rows, i, "last_ended")),
                          cell_from_text (CELL_TIME, rows_text (rows, i, "next_at"))));
  }
  sheet_table (home->sheet, &(SheetTable){ "jobs", NULL, JOBS, cells, "No job is in force." });
}

static void
show_days (const Home *home)
{
  Html *html = home->sheet->html;
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "days");
  html_text (html, HTML_H2, "Rows a day");
  bars_show (html, home->nights, NULL);
  parts_folded (home->sheet, VIEW_NIGHTS, home->nights, "days-table", "No job has run yet.");
  html_close (html);
}

static void
show_overdue (const Home *home)
{
  Html *html = home->sheet->html;
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "overdue");
  html_text (html, HTML_H2, "Overdue rows, the most of a day");
  g_autofree char *says = bars_show_overdue (html, home->overdue);
  html_text (html, HTML_P, says);
  parts_folded (home->sheet, VIEW_OVERDUE, home->overdue, "overdue-table", "Nobody has looked.");
  html_close (html);
}

static void
show_delays (const Home *home)
{
  Html *html = home->sheet->html;
  gint64 runs = 0;
  for (int i = 0; i < rows_count (home->delays); i++)
    runs += rows_int (home->delays, i, "runs");
  g_autofree char *number = spoken_number (runs),
                  *time = spoken_duration (bars_most (home->delays, "longest_s")),
                  *says = runs == 0
                              ? g_strdup ("No run has started within the last hour and ended.")
                              : g_strdup_printf ("%s %s, at most %s from due to started", number,
                                                 plural (runs, "run", "runs"), time);
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "waits");
  html_text (html, HTML_H2, "From due to started, the last hour");
  if (runs > 0)
    bars_show_column (html, home->delays, "longest_s", says);
  html_text (html, HTML_P, says);
  parts_folded (home->sheet, VIEW_DELAYS, home->delays, "waits-table", "No run.");
  html_close (html);
}

gboolean
view_show_home (Sheet *sheet, GError **error)
{
  g_auto (Home) home = { sheet };
  if (!look (&home, error))
    return FALSE;
  if (sheet->form != NULL)
    give_jobs (&home);
  home_sentences_show (&home);
  show_needs (&home);
  show_jobs (&home);
  show_days (&home);
  show_overdue (&home);
  show_delays (&home);
  return TRUE;
}
