#include "engine/view/report/report.h"

#include "base/csv.h"
#include "base/html.h"
#include "base/spoken.h"
#include "base/words.h"
#include "engine/view/bars.h"

#include <string.h>

#define GAP 2

static guint
count_columns (const ReportPart *part)
{
  guint n = 0;
  while (part->columns[n].name != NULL)
    n++;
  return n;
}

/* `other runs`. g_free it. */
static char *
head_of (const Column *column)
{
  return g_strdelimit (g_strdup (column->name), "_", ' ');
}

/* A cell for people; nothing for null and for zeroes. g_free it. */
static char *
words_of (const Column *column, const json_t *cell)
{
  if (column->type != CELL_NUMBER)
    return cell_text (column, TRUE, cell);
  return json_integer_value (cell) != 0 ? spoken_number (json_integer_value (cell))
                                        : g_strdup ("-");
}

static const ReportPart *
part_at (const Report *report, guint i)
{
  return &g_array_index (report->parts, ReportPart, i);
}

/* --- text ------------------------------------------------------------------------------------- */

static void
add_padded (GString *out, const char *text, glong width, gboolean right, gboolean last)
{
  const glong pad = width - words_width (text);
  g_string_append_printf (out, "%*s%s%*s", right ? (int)pad : 0, "", text,
                          right || last ? 0 : (int)pad, "");
  g_string_append (out, last ? "\n" : "  ");
}

static void
add_text_table (GString *out, const ReportPart *part)
{
  const guint n = count_columns (part);
  g_autofree glong *widths = g_new0 (glong, n);
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  size_t at;
  json_t *row;
  for (guint k = 0; k < n; k++)
    g_ptr_array_add (cells, head_of (&part->columns[k]));
  json_array_foreach (part->rows, at, row) {
    for (guint k = 0; k < n; k++) {
      g_autofree char *text = words_of (&part->columns[k], json_array_get (row, k));
      g_ptr_array_add (cells, words_in_one_line (text));
    }
  }
  for (guint i = 0; i < cells->len; i++)
    widths[i % n] = MAX (widths[i % n], words_width (cells->pdata[i]));
  for (guint i = 0; i < cells->len; i++)
    add_padded (out, cells->pdata[i], widths[i % n], part->columns[i % n].type == CELL_NUMBER,
                i % n == n - 1);
}

char *
report_as_text (const Report *report)
{
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "%s\n", report->title);
  if (report->note != NULL)
    g_string_append_printf (out, "%s\n", report->note);
  for (guint i = 0; i < report->parts->len; i++) {
    const ReportPart *part = part_at (report, i);
    g_string_append_printf (out, "\n%s\n\n", part->title);
    if (json_array_size (part->rows) > 0)
      add_text_table (out, part);
    else
      g_string_append_printf (out, "%s\n", part->none);
  }
  return g_string_free (out, FALSE);
}

/* --- csv -------------------------------------------------------------------------------------- */

char *
report_as_csv (const Report *report)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < report->parts->len; i++) {
    const ReportPart *part = part_at (report, i);
    const guint n = count_columns (part);
    size_t at;
    json_t *row;
    g_string_append (out, i > 0 ? "\r\npart" : "part");
    for (guint k = 0; k < n; k++)
      g_string_append_printf (out, ",%s", part->columns[k].name);
    g_string_append (out, "\r\n");
    json_array_foreach (part->rows, at, row) {
      g_string_append (out, part->name);
      for (guint k = 0; k < n; k++) {
        g_string_append_c (out, ',');
        csv_add (out, json_array_get (row, k));
      }
      g_string_append (out, "\r\n");
    }
  }
  return g_string_free (out, FALSE);
}

/* --- html ------------------------------------------------------------------------------------- */

static void
add_html_table (Html *html, const ReportPart *part)
{
  const guint n = count_columns (part);
  size_t at;
  json_t *row;
  html_open (html, HTML_TABLE);
  html_open (html, HTML_TR);
  for (guint k = 0; k < n; k++) {
    g_autofree char *head = head_of (&part->columns[k]);
    html_text (html, HTML_TH, head);
  }
  html_close (html);
  json_array_foreach (part->rows, at, row) {
    html_open (html, HTML_TR);
    for (guint k = 0; k < n; k++) {
      const Column *column = &part->columns[k];
      g_autofree char *text = words_of (column, json_array_get (row, k));
      html_open (html, HTML_TD);
      html_set (html, HTML_AT_CLASS, column->type == CELL_NUMBER ? "n" : NULL);
      html_add (html, text);
      html_close (html);
    }
    html_close (html);
  }
  html_close (html);
}

/* A file that needs no other one. */
static Html *
begin_html (const char *title)
{
  Html *html = html_begin ();
  html_open (html, HTML_HTML);
  html_set (html, HTML_AT_LANG, "en");
  html_open (html, HTML_HEAD);
  html_open (html, HTML_META);
  html_set (html, HTML_AT_CHARSET, "utf-8");
  html_close (html);
  html_text (html, HTML_TITLE, title);
  html_style (html, "src/engine/view/report/report.css");
  html_close (html);
  html_open (html, HTML_BODY);
  return html;
}

/* Of all jobs together, and of each; the tables behind it have the numbers. */
static void
add_chart (Html *html, const Report *report)
{
  size_t at;
  json_t *row;
  if (report->nights == NULL || rows_count (report->nights) == 0)
    return;
  html_text (html, HTML_H2, "Rows a day, in the last 30");
  bars_show (html, report->nights, NULL);
  html_open (html, HTML_TABLE);
  json_array_foreach (part_at (report, 0)->rows, at, row) {
    const char *job = json_string_value (json_array_get (row, 0));
    html_open (html, HTML_TR);
    html_text (html, HTML_TH, job);
    html_open (html, HTML_TD);
    bars_show (html, report->nights, job);
    html_close (html);
    html_close (html);
  }
  html_close (html);
}

char *
report_as_html (const Report *report)
{
  Html *html = begin_html (report->title);
  html_text (html, HTML_H1, report->title);
  if (report->note != NULL)
    html_text (html, HTML_P, report->note);
  add_chart (html, report);
  for (guint i = 0; i < report->parts->len; i++) {
    const ReportPart *part = part_at (report, i);
    html_text (html, HTML_H2, part->title);
    if (json_array_size (part->rows) > 0)
      add_html_table (html, part);
    else
      html_text (html, HTML_P, part->none);
  }
  return html_end (html);
}

/* --- json ------------------------------------------------------------------------------------- */

json_t *
report_as_json (const Report *report)
{
  json_t *object = json_pack ("{s:s, s:s?}", "title", report->title, "note", report->note);
  for (guint i = 0; i < report->parts->len; i++) {
    const ReportPart *part = part_at (report, i);
    json_t *list = json_array (), *row;
    size_t at;
    json_array_foreach (part->rows, at, row) {
      json_t *one = json_object ();
      for (guint k = 0; k < count_columns (part); k++)
        json_object_set (one, part->columns[k].name, json_array_get (row, k));
      json_array_append_new (list, one);
    }
    json_object_set_new (object, part->name, list);
  }
  return object;
}
