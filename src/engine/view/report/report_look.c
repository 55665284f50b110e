#include "engine/view/report/report.h"

#include "base/clock.h"
#include "base/spoken.h"
#include "base/words.h"
#include "engine/job/sentence/sentence.h"

#include <math.h>
#include <string.h>

#define SQL "src/engine/view/report/sql/"

static const Column JOBS[] = { { "job" },
                               { "table" },
                               { "runs", CELL_NUMBER },
                               { "other_runs", CELL_NUMBER },
                               { "rows", CELL_NUMBER },
                               { "gone", CELL_NUMBER },
                               { "changed", CELL_NUMBER },
                               { "kept", CELL_NUMBER },
                               { "failed", CELL_NUMBER },
                               { "counts" },
                               { NULL } },
                    TABLES[] = { { "job" },
                                 { "table" },
                                 { "gone", CELL_NUMBER },
                                 { "changed", CELL_NUMBER },
                                 { "inserted", CELL_NUMBER },
                                 { NULL } },
                    OVERDUE[] = { { "job" },
                                  { "deadline" },
                                  { "overdue", CELL_NUMBER },
                                  { "why" },
                                  { "oldest" },
                                  { "due", CELL_NUMBER },
                                  { "due_a_day", CELL_NUMBER },
                                  { "gone_a_day", CELL_NUMBER },
                                  { "nights", CELL_NUMBER },
                                  { "not_known" },
                                  { NULL } },
                    DEEDS[] = { { "at", CELL_TIME }, { "who" },    { "command" },
                                { "object" },        { "reason" }, { NULL } };

/* The parts in their order. */
static const ReportPart PARTS[]
    = { { "jobs", "What the jobs did", JOBS, NULL, "No run of these days has ended." },
        { "tables", "Rows by table", TABLES, NULL, "No row went or changed." },
        { "overdue", "Rows past their deadline, now", OVERDUE, NULL, "No job has a deadline." },
        { "approvals", "Approvals", DEEDS, NULL, "Nobody approved or discarded a run." },
        { "restores", "Restored and forgotten", DEEDS, NULL, "Nobody restored or forgot a row." },
        { "holds", "Holds", DEEDS, NULL, "Nobody held or released a row." },
        { "rules", "Changes of rules and settings", DEEDS, NULL, "No rule or setting changed." },
        { "others", "What else people did", DEEDS, NULL, "Nothing." } };

void
report_clear (Report *report)
{
  for (guint i = 0; report->parts != NULL && i < report->parts->len; i++)
    json_decref (g_array_index (report->parts, ReportPart, i).rows);
  g_clear_pointer (&report->parts, g_array_unref);
  g_clear_pointer (&report->title, g_free);
  g_clear_pointer (&report->note, g_free);
  g_clear_pointer (&report->nights, rows_free);
}

static json_t *
rows_of (const Report *report, const char *name)
{
  for (guint i = 0; i < report->parts->len; i++) {
    const ReportPart *part = &g_array_index (report->parts, ReportPart, i);
    if (g_str_equal (part->name, name))
      return part->rows;
  }
  g_assert_not_reached ();
}

/* --- numbers ---------------------------------------------------------------------------------- */

static gint64
number_of (const json_t *counts, const char *name)
{
  return json_integer_value (json_object_get (counts, name));
}

static json_t *
cell_number (gint64 n)
{
  return json_integer (n);
}

/* Rows of the job's own table are removed by it, else changed. */
static gboolean
removes (const Job *job, const json_t *counts)
{
  if (job == NULL || job->table == NULL)
    return number_of (counts, "removed") > 0;
  if (job->sentence != NULL)
    return job->sentence->kind != SENTENCE_SET;
  gboolean any
      = job->deletes != NULL && g_strv_contains ((const char *const *)job->deletes, job->table);
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    any |= what->apply->len > 0
           && g_array_index (what->apply, JobApply, job_own_file (job, what)).kind == APPLY_DELETE;
  }
  return any;
}

/* All that was kept, for whatever reason. */
static gint64
kept_of (json_t *counts)
{
  const char *name;
  json_t *value;
  gint64 n = 0;
  json_object_foreach (counts, name, value) {
    if (g_str_equal (name, "kept") || g_str_has_prefix (name, "kept_"))
      n += json_integer_value (value);
  }
  return n;
}

/* The counters of the results, without the sums. */
static json_t *
counters_of (json_t *counts)
{
  json_t *named = json_object ();
  const char *name;
  json_t *value;
  json_object_foreach (counts, name, value) {
    if (*name != ' ' && !g_str_equal (name, "updated_rows"))
      json_object_set (named, spoken_word (name), value);
  }
  return named;
}

static void
add_table (Report *report, const char *job, const char *table, gint64 gone, gint64 changed,
           gint64 inserted)
{
  if (gone + changed + inserted > 0)
    json_array_append_new (rows_of (report, "tables"),
                           json_pack ("[s, s?, o, o, o]", job, table, cell_number (gone),
                                      cell_number (changed), cell_number (inserted)));
}

static void
add_job (Report *report, const Jobs *jobs, const char *name, json_t *counts)
{
  const Job *job = jobs_find (jobs, name);
  const char *table = job != NULL ? job->table : NULL;
  const gint64 own = number_of (counts, "updated_rows");
  const gboolean goes = removes (job, counts);
  g_autoptr (json_t) counters = counters_of (counts);
  g_autofree char *words = words_of_counts (counters);
  json_array_append_new (rows_of (report, "jobs"),
                         json_pack ("[s, s?, o, o, o, o, o, o, o, s?]", name, table,
                                    cell_number (number_of (counts, " runs")),
                                    cell_number (number_of (counts, " others")),
                                    cell_number (number_of (counts, " rows")),
                                    cell_number (goes ? own : 0), cell_number (goes ? 0 : own),
                                    cell_number (kept_of (counts)),
                                    cell_number (number_of (counts, "failed")), words));
  add_table (report, name, table, goes ? own : 0, goes ? 0 : own, 0);
}

/* The rows from FROM on that are of the same job and table, as an object; *TO: behind them. */
static json_t *
take_counts (const PgRows *rows, int from, int *to)
{
  json_t *counts = json_object ();
  const char *job = rows_text (rows, from, "job"), *tab = rows_text (rows, from, "tab");
  int i = from;
  for (; i < rows_count (rows) && g_str_equal (rows_text (rows, i, "job"), job)
         && g_strcmp0 (rows_text (rows, i, "tab"), tab) == 0;
       i++)
    json_object_set_new (counts, rows_text (rows, i, "name"),
                         json_integer (rows_int (rows, i, "n")));
  *to = i;
  return counts;
}

static gboolean
look_at_runs (Report *report, Pg *pg, const Jobs *jobs, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "counts.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows);) {
    const char *job = rows_text (rows, i, "job"), *tab = rows_text (rows, i, "tab");
    g_autoptr (json_t) counts = take_counts (rows, i, &i);
    if (tab == NULL)
      add_job (report, jobs, job, counts);
    else
      add_table (report, job, tab, number_of (counts, "deleted"), number_of (counts, "changed"),
                 number_of (counts, "inserted"));
  }
  return rows != NULL;
}

/* --- deadlines -------------------------------------------------------------------------------- */

static json_t *
whole_number (const PgRows *rows, int row, const char *column)
{
  const char *text = rows_text (rows, row, column);
  return text != NULL ? json_integer ((gint64)llround (g_ascii_strtod (text, NULL))) : json_null ();
}

/* A line a job that has a deadline, with what keeps its rows, as `pruned night` has it. */
static void
add_deadlines (Report *report, const PgRows *nights)
{
  for (int i = 0; i < rows_count (nights); i++) {
    if (rows_text (nights, i, "deadline_seconds") == NULL)
      continue;
    g_autoptr (json_t) whys = cell_from_text (CELL_JSON, rows_text (nights, i, "overdue_rows"));
    g_autofree char *words = json_is_object (whys) ? words_of_counts (whys) : NULL,
                    *deadline = spoken_duration (
                        g_ascii_strtod (rows_text (nights, i, "deadline_seconds"), NULL));
    json_array_append_new (
        rows_of (report, "overdue"),
        json_pack ("[s, s, o, s?, s?, o, o, o, o, s?]", rows_text (nights, i, "job"), deadline,
                   whole_number (nights, i, "overdue_late"), words,
                   rows_text (nights, i, "overdue_oldest"), whole_number (nights, i, "due_rows"),
                   whole_number (nights, i, "due_inflow_rows"),
                   whole_number (nights, i, "due_outflow_rows"),
                   whole_number (nights, i, "caught_up_nights"),
                   rows_text (nights, i, "overdue_state")));
  }
}

/* --- people ----------------------------------------------------------------------------------- */

static gboolean
look_at_deeds (Report *report, Pg *pg, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "deeds.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    json_array_append_new (
        rows_of (report, rows_text (rows, i, "part")),
        json_pack ("[o, s, s, s, s?]", cell_from_text (CELL_TIME, rows_text (rows, i, "at")),
                   rows_text (rows, i, "who"), rows_text (rows, i, "command"),
                   rows_text (rows, i, "object"), rows_text (rows, i, "reason")));
  return rows != NULL;
}

static gboolean
look_about (Report *report, Pg *pg, const char *day, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "about.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  const char *kept_from = rows_text (rows, 0, "kept_from");
  g_autoptr (json_t) at = cell_from_text (CELL_TIME, rows_text (rows, 0, "at"));
  report->title = g_strdup_printf ("pruned: what was done in %s from %s (UTC) to %.16s UTC",
                                   rows_text (rows, 0, "database"), day, json_string_value (at));
  if (kept_from != NULL && strcmp (day, kept_from) < 0)
    report->note = g_strdup_printf (
        "What runs did before %s is no longer kept: these numbers are missing here.", kept_from);
  return TRUE;
}

gboolean
report_look (Report *report, Pg *pg, const Jobs *jobs, const PgRows *overdue, gint64 since_us,
             GError **error)
{
  const gint64 from_us = since_us - since_us % G_TIME_SPAN_DAY;
  g_autofree char *from = clock_format (from_us), *day = g_strndup (from, strlen ("2026-11-30"));
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "since", from);
  pg_values_set (values, "job", NULL);
  report->parts = g_array_new (FALSE, FALSE, sizeof (ReportPart));
  g_array_append_vals (report->parts, PARTS, G_N_ELEMENTS (PARTS));
  for (guint i = 0; i < report->parts->len; i++)
    g_array_index (report->parts, ReportPart, i).rows = json_array ();
  add_deadlines (report, overdue);
  return look_about (report, pg, day, error) && look_at_runs (report, pg, jobs, values, error)
         && look_at_deeds (report, pg, values, error)
         && (report->nights = view_ask (pg, VIEW_NIGHTS, values, error)) != NULL;
}
