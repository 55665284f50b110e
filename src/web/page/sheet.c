#include "web/page/sheet.h"

#include "base/csv.h"
#include "base/spoken.h"
#include "base/visible.h"
#include "web/page/act_table.h"

#include <string.h>

const char *
sheet_filter (const Sheet *sheet, const char *name)
{
  const char *value = g_hash_table_lookup (sheet->request->filters, name);
  return value != NULL && *value != '\0' ? value : NULL;
}

void
sheet_bind (const Sheet *sheet, PgValues *values, const char *const *names)
{
  for (; *names != NULL; names++)
    pg_values_set (values, *names, sheet_filter (sheet, *names));
}

/* --- parts of cells --------------------------------------------------------------------------- */

/* By the first word. */
static const struct {
  const char *word, *tone;
} TONES[] = {
  { "ok", "good" },       { "finished", "good" }, { "completed", "good" }, { "running", "busy" },
  { "ready", "busy" },    { "waiting", "busy" },  { "held", "warn" },      { "paused", "warn" },
  { "stopped", "bad" },   { "parked", "warn" },   { "skipped", "warn" },   { "dead", "bad" },
  { "failed", "bad" },    { "blocked", "bad" },   { "holds", "warn" },     { "restored", "warn" },
  { "deleted", "plain" },
};

void
sheet_state (Sheet *sheet, const char *text)
{
  const gsize length = strcspn (text, ": ");
  const char *tone = "plain";
  for (guint i = 0; i < G_N_ELEMENTS (TONES); i++)
    if (strlen (TONES[i].word) == length && strncmp (TONES[i].word, text, length) == 0)
      tone = TONES[i].tone;
  html_open (sheet->html, HTML_SPAN);
  html_set (sheet->html, HTML_AT_CLASS, tone);
  html_add (sheet->html, text);
  html_close (sheet->html);
}

void
sheet_link (Sheet *sheet, const char *path, const char *name, const char *value)
{
  g_autofree char *link = html_link (path, name, value, NULL), *line = visible_line (value);
  html_open (sheet->html, HTML_A);
  html_set (sheet->html, HTML_AT_HREF, link);
  html_add (sheet->html, line);
  html_close (sheet->html);
}

void
sheet_command (Sheet *sheet, const char *command)
{
  g_autofree char *line = visible_line (command), *link = act_link (command);
  html_open (sheet->html, HTML_SPAN);
  html_text (sheet->html, HTML_CODE, line);
  if (link != NULL) {
    html_add (sheet->html, " ");
    html_open (sheet->html, HTML_A);
    html_set (sheet->html, HTML_AT_HREF, link);
    html_set (sheet->html, HTML_AT_CLASS, "do");
    html_add (sheet->html, "do it");
    html_close (sheet->html);
  }
  html_close (sheet->html);
}

static void
add_time (Sheet *sheet, const char *time)
{
  g_autofree char *shown = g_strndup (time, strlen ("2026-12-01T02:00:03"));
  html_open (sheet->html, HTML_TIME);
  html_set (sheet->html, HTML_AT_DATETIME, time);
  html_add (sheet->html, g_strdelimit (shown, "T", ' '));
  html_close (sheet->html);
}

void
sheet_time (Sheet *sheet, const char *text)
{
  g_autoptr (json_t) time = cell_from_text (CELL_TIME, text);
  if (json_is_string (time))
    add_time (sheet, json_string_value (time));
  else
    html_add (sheet->html, "–");
}

/* Each on a line of its own. */
static void
add_commands (Sheet *sheet, const json_t *commands)
{
  html_open (sheet->html, HTML_DIV);
  html_set (sheet->html, HTML_AT_CLASS, "commands");
  for (size_t i = 0; i < json_array_size (commands); i++)
    sheet_command (sheet, json_string_value (json_array_get (commands, i)));
  html_close (sheet->html);
}

/* Cells that lead to a view. */
static const struct {
  const char *column, *path, *name;
} LINKS[]
    = { { "job", "job", "name" },       { "run_id", "run", "id" }, { "last_run_id", "run", "id" },
        { "erasure_run", "run", "id" }, { "item", "row", "item" }, { "row", "row", "item" },
        { "id", "letters", "id" } };

static void
add_cell (Sheet *sheet, const Column *column, const json_t *cell)
{
  g_autofree char *text = cell_text (column, TRUE, cell);
  const gboolean is_text = json_is_string (cell);
  for (guint i = 0; is_text && i < G_N_ELEMENTS (LINKS); i++)
    if (g_str_equal (column->name, LINKS[i].column)) {
      sheet_link (sheet, LINKS[i].path, LINKS[i].name, json_string_value (cell));
      return;
    }
  if (json_is_array (cell) && g_str_equal (column->name, "commands"))
    add_commands (sheet, cell);
  else if (is_text && g_str_equal (column->name, "restore"))
    sheet_command (sheet, text);
  else if (is_text && column->type == CELL_TIME)
    add_time (sheet, json_string_value (cell));
  else if (is_text && g_str_equal (column->name, "state"))
    sheet_state (sheet, text);
  else if (json_is_integer (cell) && !column->exact) {
    g_autofree char *number = spoken_number (json_integer_value (cell));
    html_add (sheet->html, number);
  } else
    html_add (sheet->html, json_is_boolean (cell) ? (json_is_true (cell) ? "yes" : "no")
                           : cell == NULL || json_is_null (cell) ? "–"
                                                                 : text);
}

/* --- tables ----------------------------------------------------------------------------------- */

json_t *
sheet_cells (const Column *columns, const PgRows *rows)
{
  json_t *cells = json_array ();
  for (int i = 0; i < rows_count (rows); i++) {
    json_t *row = json_array ();
    for (const Column *column = columns; column->name != NULL; column++)
      json_array_append_new (row, cell_from_text (column->type, rows_text (rows, i, column->name)));
    json_array_append_new (cells, row);
  }
  return cells;
}

static void
add_csv (GString *out, const SheetTable *table)
{
  size_t at;
  json_t *row;
  for (const Column *column = table->columns; column->name != NULL; column++)
    if (!column->derived)
      g_string_append_printf (out, "%s%s", column > table->columns ? "," : "", column->name);
  g_string_append (out, "\r\n");
  json_array_foreach (table->cells, at, row) {
    for (size_t k = 0; table->columns[k].name != NULL; k++) {
      if (table->columns[k].derived)
        continue;
      g_string_append (out, k > 0 ? "," : "");
      csv_add (out, json_array_get (row, k));
    }
    g_string_append (out, "\r\n");
  }
}

static void
add_json (GString *out, const SheetTable *table)
{
  size_t at;
  json_t *row;
  g_autoptr (json_t) objects = json_array ();
  json_array_foreach (table->cells, at, row) {
    json_t *object = json_object ();
    for (size_t k = 0; table->columns[k].name != NULL; k++)
      if (!table->columns[k].derived)
        json_object_set (object, table->columns[k].name, json_array_get (row, k));
    json_array_append_new (objects, object);
  }
  g_autofree char *text = json_text (objects);
  g_string_append_printf (out, "%s\n", text);
}

/* `last_ended` -> `last ended`. */
static void
add_head (Sheet *sheet, const Column *columns)
{
  html_open (sheet->html, HTML_THEAD);
  html_open (sheet->html, HTML_TR);
  for (const Column *column = columns; column->name != NULL; column++) {
    g_autofree char *head = g_strdelimit (g_strdup (column->name), "_", ' ');
    if (column->detail)
      continue;
    html_open (sheet->html, HTML_TH);
    html_set (sheet->html, HTML_AT_SCOPE, "col");
    html_set (sheet->html, HTML_AT_CLASS, column->type == CELL_NUMBER ? "n" : NULL);
    html_add (sheet->html, head);
    html_close (sheet->html);
  }
  html_close (sheet->html);
  html_close (sheet->html);
}

static void
add_body (Sheet *sheet, const SheetTable *table)
{
  size_t at;
  json_t *row;
  html_open (sheet->html, HTML_TBODY);
  json_array_foreach (table->cells, at, row) {
    html_open (sheet->html, HTML_TR);
    for (size_t k = 0; table->columns[k].name != NULL; k++) {
      const Column *column = &table->columns[k];
      if (column->detail)
        continue;
      html_open (sheet->html, HTML_TD);
      html_set (sheet->html, HTML_AT_CLASS, column->type == CELL_NUMBER ? "n" : NULL);
      add_cell (sheet, column, json_array_get (row, k));
      html_close (sheet->html);
    }
    html_close (sheet->html);
  }
  html_close (sheet->html);
}

/* The same table for machines. */
static void
add_forms (Sheet *sheet, const SheetTable *table)
{
  static const char *const forms[][2] = { { "csv", "CSV" }, { "json", "JSON" } };
  html_open (sheet->html, HTML_P);
  html_set (sheet->html, HTML_AT_CLASS, "forms");
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    const char *name;
    gpointer value;
    GHashTableIter iter;
    g_autoptr (GString) link = g_string_new (NULL);
    g_autofree char *form = html_link ("", "format", forms[i][0], "table", table->name, NULL);
    g_string_append (link, form);
    g_hash_table_iter_init (&iter, sheet->request->filters);
    while (g_hash_table_iter_next (&iter, (gpointer *)&name, &value)) {
      g_autofree char *more = html_link ("", name, (const char *)value, NULL);
      g_string_append_printf (link, "&%s", more + 1);
    }
    html_open (sheet->html, HTML_A);
    html_set (sheet->html, HTML_AT_HREF, link->str);
    html_add (sheet->html, forms[i][1]);
    html_close (sheet->html);
    html_add (sheet->html, " ");
  }
  html_close (sheet->html);
}

static void
add_table (Sheet *sheet, const SheetTable *table)
{
  Html *html = sheet->html;
  html_open (html, HTML_DIV);
  html_set (html, HTML_AT_CLASS, "wide");
  html_set (html, HTML_AT_TABINDEX, "0");
  html_set (html, HTML_AT_ROLE, "region");
  html_set (html, HTML_AT_LABEL, table->title != NULL ? table->title : table->name);
  html_open (html, HTML_TABLE);
  add_head (sheet, table->columns);
  add_body (sheet, table);
  html_close (html);
  html_close (html);
  if (json_array_size (table->cells) >= SHEET_ROWS)
    html_text (html, HTML_P, "These are the first 200. Filters show others, CSV and JSON more.");
  add_forms (sheet, table);
}

void
sheet_table (Sheet *sheet, const SheetTable *table)
{
  const gboolean asked = sheet->table == NULL || g_str_equal (sheet->table, table->name);
  if (sheet->form != NULL && asked && sheet->data == NULL) {
    sheet->data = g_string_new (NULL);
    (g_str_equal (sheet->form, "csv") ? add_csv : add_json) (sheet->data, table);
  }
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, table->name);
  if (table->title != NULL)
    html_text (sheet->html, HTML_H2, table->title);
  if (json_array_size (table->cells) > 0)
    add_table (sheet, table);
  else
    html_text (sheet->html, HTML_P, table->none);
  html_close (sheet->html);
  json_decref (table->cells);
}

gboolean
sheet_view (Sheet *sheet, ViewId id, const PgValues *values, const char *title, const char *none,
            GError **error)
{
  g_autoptr (PgRows) rows = view_ask (sheet->pg, id, values, error);
  if (rows == NULL)
    return FALSE;
  const Column *columns = view_columns (id);
  sheet_table (sheet,
               &(SheetTable){ view_name (id), title, columns, sheet_cells (columns, rows), none });
  return TRUE;
}

/* --- forms ------------------------------------------------------------------------------------ */

void
sheet_form (Sheet *sheet, const char *const *filters)
{
  Html *html = sheet->html;
  html_open (html, HTML_FORM);
  html_set (html, HTML_AT_METHOD, "get");
  for (const char *const *name = filters; *name != NULL; name++) {
    g_autofree char *id = g_strconcat ("filter-", *name, NULL);
    html_open (html, HTML_LABEL);
    html_set (html, HTML_AT_FOR, id);
    html_add (html, *name);
    html_close (html);
    html_open (html, HTML_INPUT);
    html_set (html, HTML_AT_ID, id);
    html_set (html, HTML_AT_NAME, *name);
    html_set (html, HTML_AT_VALUE, sheet_filter (sheet, *name));
    html_close (html);
  }
  html_text (html, HTML_BUTTON, "Show");
  html_close (html);
}
