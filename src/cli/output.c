#include "cli/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"
#define GAP "  "

struct _Output {
  gboolean json, terminal, colours, failed;
  gboolean named; /* the line of names stands above what follows */
  const Column *columns; /* NULL: no table is open */
  guint n_columns;
  GPtrArray *rows; /* of json_t arrays; on a terminal only, until widths are known */
};

static const struct {
  const char *word, *colour;
} COLOURS[] = {
  { "finished", "\033[32m" }, { "ok", "\033[32m" },     { "removed", "\033[32m" }, { "made", "\033[32m" },
  { "applied", "\033[32m" },  { "dead", "\033[31m" },   { "failed", "\033[31m" },  { "missing", "\033[31m" },
  { "invalid", "\033[31m" },  { "down", "\033[31m" },   { "skipped", "\033[33m" }, { "kept", "\033[33m" },
  { "paused", "\033[33m" },   { "parked", "\033[33m" }, { "held", "\033[33m" },    { "waiting", "\033[36m" },
  { "ready", "\033[36m" },
};

Output *
output_new (gboolean json, gboolean terminal)
{
  Output *out = g_new0 (Output, 1);
  out->json = json;
  out->terminal = terminal && !json;
  out->colours = out->terminal && g_getenv ("NO_COLOR") == NULL;
  out->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)json_decref);
  return out;
}

gboolean
output_free (Output *out)
{
  output_end (out);
  gboolean written = fflush (stdout) == 0 && !ferror (stdout) && !out->failed;
  g_ptr_array_unref (out->rows);
  g_free (out);
  return written;
}

gboolean
output_is_json (const Output *out)
{
  return out->json;
}

void
output_flush (Output *out)
{
  if (fflush (stdout) != 0)
    out->failed = TRUE;
}

static void
put (Output *out, const char *text)
{
  if (fputs (text, stdout) < 0)
    out->failed = TRUE;
}

/* PostgreSQL's `2026-11-21 10:20:30.1+00` as RFC 3339 with microseconds. Transactions are in UTC, ISO. */
static json_t *
time_cell (const char *text)
{
  gsize whole = strlen ("2026-11-21 10:20:30");
  if (strlen (text) < whole || !g_str_has_suffix (text, "+00"))
    return json_string (text); /* infinity, or before Christ */
  char micros[] = "000000";
  if (text[whole] == '.')
    for (guint i = 0; i < 6 && g_ascii_isdigit (text[whole + 1 + i]); i++)
      micros[i] = text[whole + 1 + i];
  g_autofree char *time = g_strdup_printf ("%.10sT%.8s.%sZ", text, text + 11, micros);
  return json_string (time);
}

json_t *
cell_from_text (CellType type, const char *text)
{
  json_t *value = NULL;
  if (text == NULL)
    return json_null ();
  if (type == CELL_TIME)
    return time_cell (text);
  if (type == CELL_BOOL)
    return json_boolean (text[0] == 't');
  if (type == CELL_NUMBER || type == CELL_JSON)
    value = json_parse (text, strlen (text), NULL);
  return value != NULL ? value : json_string (text);
}

/* Control characters would break the line, or drive the terminal. */
static void
blank_controls (char *text)
{
  for (; *text != '\0'; text++)
    if ((guchar)*text < 0x20 || *text == 0x7f)
      *text = ' ';
}

static char *
cell_text (const Output *out, const Column *column, const json_t *cell)
{
  if (cell == NULL || json_is_null (cell))
    return g_strdup (out->terminal ? "-" : "");
  if (!json_is_string (cell))
    return json_text (cell);
  char *text = g_strdup (json_string_value (cell));
  blank_controls (text);
  if (column->type == CELL_TIME && out->terminal && strlen (text) > 19) {
    text[10] = ' ';
    text[19] = '\0';
  }
  return text;
}

char *
output_coloured (const Output *out, const char *text)
{
  for (guint i = 0; out->colours && i < G_N_ELEMENTS (COLOURS); i++)
    if (g_str_equal (text, COLOURS[i].word))
      return g_strconcat (COLOURS[i].colour, text, PLAIN, NULL);
  return g_strdup (text);
}

static json_t *
row_object (const Output *out, const json_t *cells)
{
  json_t *object = json_object ();
  for (guint i = 0; i < out->n_columns; i++)
    json_object_set (object, out->columns[i].name, json_array_get (cells, i));
  return object;
}

void
output_object (Output *out, const json_t *object)
{
  if (!out->json)
    return;
  g_autofree char *text = json_text (object);
  put (out, text);
  put (out, "\n");
}

/* CELLS NULL: the line of names. */
static void
put_tabbed (Output *out, const json_t *cells)
{
  const char *tab = "";
  for (guint i = 0; i < out->n_columns; i++)
    if (!out->columns[i].detail) {
      g_autofree char *text = cells == NULL ? g_strdup (out->columns[i].name)
                                            : cell_text (out, &out->columns[i], json_array_get (cells, i));
      put (out, tab);
      put (out, text);
      tab = "\t";
    }
  put (out, "\n");
}

/* Takes CELLS, which has one a column. */
static void
add_row (Output *out, json_t *cells)
{
  if (out->terminal) {
    g_ptr_array_add (out->rows, cells);
    return;
  }
  if (out->json) {
    g_autoptr (json_t) object = row_object (out, cells);
    output_object (out, object);
  } else {
    if (!out->named)
      put_tabbed (out, NULL);
    out->named = TRUE;
    put_tabbed (out, cells);
  }
  json_decref (cells);
}

void
output_table (Output *out, const Column *columns)
{
  output_end (out);
  out->columns = columns;
  out->named = FALSE;
  for (out->n_columns = 0; columns[out->n_columns].name != NULL; out->n_columns++)
    ;
}

void
output_row (Output *out, ...)
{
  va_list list;
  va_start (list, out);
  json_t *cells = json_array ();
  for (guint i = 0; i < out->n_columns; i++) {
    json_t *cell = va_arg (list, json_t *);
    json_array_append_new (cells, cell != NULL ? cell : json_null ());
  }
  va_end (list);
  add_row (out, cells);
}

static json_t *
cells_of (const Output *out, const PgRows *rows, int row)
{
  json_t *cells = json_array ();
  for (guint i = 0; i < out->n_columns; i++) {
    const Column *column = &out->columns[i];
    json_array_append_new (cells, cell_from_text (column->type, rows_text (rows, row, column->name)));
  }
  return cells;
}

void
output_rows (Output *out, const PgRows *rows)
{
  for (int row = 0; row < rows_count (rows); row++)
    add_row (out, cells_of (out, rows, row));
}

/* SPACES fill the column's width: before a number, behind everything else. */
static void
put_cell (Output *out, CellType type, const char *text, int spaces)
{
  g_autofree char *blank = g_strnfill (spaces, ' ');
  if (type == CELL_NUMBER)
    put (out, blank);
  put (out, text);
  if (type != CELL_NUMBER)
    put (out, blank);
}

static guint
last_shown (const Output *out)
{
  guint last = 0;
  for (guint i = 0; i < out->n_columns; i++)
    if (!out->columns[i].detail)
      last = i;
  return last;
}

/* One line of the table; CELLS NULL: the line of names. */
static void
put_line (Output *out, const json_t *cells, const int *widths)
{
  guint last = last_shown (out);
  for (guint i = 0; i <= last; i++) {
    const Column *column = &out->columns[i];
    if (column->detail)
      continue;
    g_autofree char *text = cells != NULL ? cell_text (out, column, json_array_get (cells, i)) : g_strdup (column->name);
    g_autofree char *shown = cells != NULL ? output_coloured (out, text) : g_strdup (text);
    int spaces = widths[i] - (int)g_utf8_strlen (text, -1);
    put_cell (out, column->type, shown, i == last && column->type != CELL_NUMBER ? 0 : spaces);
    put (out, i == last ? "\n" : GAP);
  }
}

static void
measure (const Output *out, int *widths)
{
  for (guint i = 0; i < out->n_columns; i++) {
    widths[i] = (int)strlen (out->columns[i].name);
    for (guint row = 0; row < out->rows->len; row++) {
      g_autofree char *text = cell_text (out, &out->columns[i], json_array_get (out->rows->pdata[row], i));
      widths[i] = MAX (widths[i], (int)g_utf8_strlen (text, -1));
    }
  }
}

void
output_end (Output *out)
{
  if (out->rows->len > 0) {
    g_autofree int *widths = g_new (int, out->n_columns);
    measure (out, widths);
    put (out, out->colours ? BOLD : "");
    put_line (out, NULL, widths);
    put (out, out->colours ? PLAIN : "");
    for (guint i = 0; i < out->rows->len; i++)
      put_line (out, out->rows->pdata[i], widths);
    g_ptr_array_set_size (out->rows, 0);
  }
  out->columns = NULL;
  out->n_columns = 0;
}

static void
put_named (Output *out, const char *name, const char *text, int width)
{
  g_autofree char *blank = g_strnfill (MAX (width - (int)strlen (name), 0), ' ');
  g_autofree char *coloured = output_coloured (out, text);
  put (out, out->colours ? DIM : "");
  put (out, name);
  put (out, out->colours ? PLAIN : "");
  put (out, out->terminal ? blank : "");
  put (out, out->terminal ? GAP : "\t");
  put (out, coloured);
  put (out, "\n");
}

void
output_record (Output *out, const Column *columns, const PgRows *rows, int row)
{
  output_end (out);
  out->columns = columns;
  int width = 0;
  for (out->n_columns = 0; columns[out->n_columns].name != NULL; out->n_columns++)
    width = MAX (width, (int)strlen (columns[out->n_columns].name));
  g_autoptr (json_t) cells = cells_of (out, rows, row);
  g_autoptr (json_t) object = row_object (out, cells);
  output_object (out, object);
  for (guint i = 0; !out->json && i < out->n_columns; i++) {
    g_autofree char *text = cell_text (out, &columns[i], json_array_get (cells, i));
    put_named (out, columns[i].name, text, width);
  }
  output_end (out);
}

static void
put_line_of (Output *out, const char *format, va_list list)
{
  g_autofree char *text = g_strdup_vprintf (format, list);
  put (out, text);
  put (out, "\n");
}

void
output_say (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  if (!out->json)
    put_line_of (out, format, list);
  va_end (list);
}

void
output_hint (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  if (out->terminal)
    put_line_of (out, format, list);
  va_end (list);
}
