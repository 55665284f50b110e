#include "cli/output/output_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BOLD "\033[1m"
#define DIM "\033[2m"
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
  g_free (out->least);
  g_free (out->left_out);
  g_free (out);
  return written;
}

gboolean
output_is_json (const Output *out)
{
  return out->json;
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

/* Writes the rows that were held back. */
static void
put_aligned (Output *out)
{
  output_fit (out);
  if (!out->named) {
    output_put (out, out->colours ? BOLD : "");
    output_put_row (out, NULL);
    output_put (out, out->colours ? PLAIN : "");
  }
  out->named = TRUE;
  for (guint i = 0; i < out->rows->len; i++)
    output_put_row (out, out->rows->pdata[i]);
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
  out->has_rows = TRUE;
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
  out->named = out->has_rows = FALSE;
  for (out->n_columns = 0; columns[out->n_columns].name != NULL; out->n_columns++)
    ;
  g_free (out->widths);
  g_free (out->least);
  g_free (out->left_out);
  out->widths = g_new0 (int, out->n_columns);
  out->least = g_new0 (int, out->n_columns);
  out->left_out = g_new0 (gboolean, out->n_columns);
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
  g_autofree char *lines = output_wrapped (out, text, width + (int)strlen (GAP));
  g_autofree char *coloured = output_coloured (out, lines);
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
