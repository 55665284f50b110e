#include "cli/output_private.h"

#include "cli/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define CLEAR "\033[H\033[2J"
#define GAP "  "
#define AT_ONCE 1000 /* rows that are aligned together */

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
  g_free (out->widths);
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

void
output_put (Output *out, const char *text)
{
  if (fputs (text, stdout) < 0)
    out->failed = TRUE;
}

void
output_clear (Output *out)
{
  if (out->terminal)
    output_put (out, CLEAR);
}

char *
output_coloured (const Output *out, const char *text)
{
  const char *colour = out->colours ? cell_colour (text) : NULL;
  return colour != NULL ? g_strconcat (colour, text, PLAIN, NULL) : g_strdup (text);
}

static json_t *
row_object (const Output *out, const json_t *cells)
{
  json_t *object = json_object ();
  for (guint i = 0; i < out->n_columns; i++)
    if (!out->columns[i].derived)
      json_object_set (object, out->columns[i].name, json_array_get (cells, i));
  return object;
}

void
output_object (Output *out, const json_t *object)
{
  if (!out->json)
    return;
  g_autofree char *text = json_text (object);
  output_put (out, text);
  output_put (out, "\n");
}

/* CELLS NULL: the line of column names. */ static void
put_tabbed (Output *out, const json_t *cells)
{
  const char *tab = "";
  for (guint i = 0; i < out->n_columns; i++)
    if (!out->columns[i].detail) {
      g_autofree char *text
          = cells == NULL ? g_strdup (out->columns[i].name)
                          : cell_text (&out->columns[i], out->terminal, json_array_get (cells, i));
      output_put (out, tab);
      output_put (out, text);
      tab = "\t";
    }
  output_put (out, "\n");
}

/* SPACES fill the column: before a number, behind any other text. */
static void
put_cell (Output *out, CellType type, const char *text, int spaces)
{
  g_autofree char *blank = g_strnfill (spaces, ' ');
  if (type == CELL_NUMBER)
    output_put (out, blank);
  output_put (out, text);
  if (type != CELL_NUMBER)
    output_put (out, blank);
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

/* One line of the table; CELLS NULL: the line of column names. */
static void
put_line (Output *out, const json_t *cells, const int *widths)
{
  guint last = last_shown (out);
  for (guint i = 0; i <= last; i++) {
    const Column *column = &out->columns[i];
    if (column->detail)
      continue;
    g_autofree char *text = cells != NULL
                                ? cell_text (column, out->terminal, json_array_get (cells, i))
                                : g_strdup (column->name);
    g_autofree char *shown = cells != NULL ? output_coloured (out, text) : g_strdup (text);
    int spaces = widths[i] - (int)words_width (text);
    put_cell (out, column->type, shown, i == last && column->type != CELL_NUMBER ? 0 : spaces);
    output_put (out, i == last ? "\n" : GAP);
  }
}

static void
measure (Output *out)
{
  for (guint i = 0; i < out->n_columns; i++) {
    out->widths[i] = MAX (out->widths[i], (int)strlen (out->columns[i].name));
    for (guint row = 0; row < out->rows->len; row++) {
      g_autofree char *text
          = cell_text (&out->columns[i], out->terminal, json_array_get (out->rows->pdata[row], i));
      out->widths[i] = MAX (out->widths[i], (int)words_width (text));
    }
  }
}

/* Writes the rows that were held back. */
static void
put_aligned (Output *out)
{
  measure (out);
  if (!out->named) {
    output_put (out, out->colours ? BOLD : "");
    put_line (out, NULL, out->widths);
    output_put (out, out->colours ? PLAIN : "");
  }
  out->named = TRUE;
  for (guint i = 0; i < out->rows->len; i++)
    put_line (out, out->rows->pdata[i], out->widths);
  g_ptr_array_set_size (out->rows, 0);
}

void
output_end (Output *out)
{
  if (out->rows->len > 0)
    put_aligned (out);
  out->columns = NULL;
  out->n_columns = 0;
}

void
output_cells (Output *out, json_t *cells)
{
  if (out->terminal) {
    g_ptr_array_add (out->rows, cells);
    if (out->rows->len >= AT_ONCE)
      put_aligned (out);
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
  g_free (out->widths);
  out->widths = g_new0 (int, out->n_columns);
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
  output_cells (out, cells);
}

static json_t *
cells_of (const Output *out, const PgRows *rows, int row)
{
  json_t *cells = json_array ();
  for (guint i = 0; i < out->n_columns; i++) {
    const Column *column = &out->columns[i];
    json_array_append_new (cells,
                           cell_from_text (column->type, rows_text (rows, row, column->name)));
  }
  return cells;
}

void
output_rows (Output *out, const PgRows *rows)
{
  for (int row = 0; row < rows_count (rows); row++)
    output_cells (out, cells_of (out, rows, row));
}

static void
put_named (Output *out, const char *name, const char *text, int width)
{
  g_autofree char *blank = g_strnfill (MAX (width - (int)strlen (name), 0), ' ');
  g_autofree char *coloured = output_coloured (out, text);
  output_put (out, out->colours ? DIM : "");
  output_put (out, name);
  output_put (out, out->colours ? PLAIN : "");
  output_put (out, out->terminal ? blank : "");
  output_put (out, out->terminal ? GAP : "\t");
  output_put (out, coloured);
  output_put (out, "\n");
}

void
output_record (Output *out, const Column *columns, const PgRows *rows, int row)
{
  output_table (out, columns);
  output_record_cells (out, columns, cells_of (out, rows, row));
}

void
output_record_cells (Output *out, const Column *columns, json_t *taken)
{
  g_autoptr (json_t) cells = taken;
  int width = 0;
  output_table (out, columns);
  for (guint i = 0; i < out->n_columns; i++)
    width = MAX (width, (int)strlen (columns[i].name));
  g_autoptr (json_t) object = row_object (out, cells);
  output_object (out, object);
  for (guint i = 0; !out->json && i < out->n_columns; i++) {
    g_autofree char *text = cell_text (&columns[i], out->terminal, json_array_get (cells, i));
    put_named (out, columns[i].name, text, width);
  }
  output_end (out);
}
