#include "pg/rows_private.h"

#include <string.h>

struct _PgRows {
  PGresult *result;
  int *part; /* indexes of a part of the rows, whose result is borrowed; NULL: all of them */
  int n;
};

PgRows *
rows_wrap (PGresult *result)
{
  PgRows *rows = g_new (PgRows, 1);
  *rows = (PgRows){ result, NULL, PQntuples (result) };
  return rows;
}

PgRows *
rows_part (const PgRows *rows, const int *which, guint n)
{
  PgRows *part = g_new (PgRows, 1);
  *part = (PgRows){ rows->result, g_new (int, n + 1), (int)n };
  for (guint i = 0; i < n; i++)
    part->part[i] = rows->part != NULL ? rows->part[which[i]] : which[i];
  return part;
}

void
rows_free (PgRows *rows)
{
  if (rows == NULL)
    return;
  if (rows->part == NULL)
    PQclear (rows->result);
  g_free (rows->part);
  g_free (rows);
}

int
rows_count (const PgRows *rows)
{
  return rows->n;
}

int
rows_columns (const PgRows *rows)
{
  return PQnfields (rows->result);
}

const char *
rows_name (const PgRows *rows, int column)
{
  return PQfname (rows->result, column);
}

int
rows_column (const PgRows *rows, const char *name)
{
  const int n = PQnfields (rows->result);
  for (int i = 0; i < n; i++) {
    const char *other = PQfname (rows->result, i);
    if (*other == *name && strcmp (other, name) == 0) /* most differ in their first byte */
      return i;
  }
  return -1;
}

gboolean
rows_origin (const PgRows *rows, const char *name, gint64 *table, int *number)
{
  int column = rows_column (rows, name);
  *table = column >= 0 ? (gint64)PQftable (rows->result, column) : 0;
  *number = column >= 0 ? PQftablecol (rows->result, column) : 0;
  return *table != 0 && *number > 0;
}

const char *
rows_at (const PgRows *rows, int row, int column)
{
  int at = rows->part != NULL && row < rows->n ? rows->part[row] : row;
  if (column < 0 || PQgetisnull (rows->result, at, column))
    return NULL;
  return PQgetvalue (rows->result, at, column);
}

const char *
rows_text (const PgRows *rows, int row, const char *name)
{
  int column = rows_column (rows, name);
  if (column < 0)
    g_error ("no column '%s' in the rows of a statement", name);
  return rows_at (rows, row, column);
}

gint64
rows_int (const PgRows *rows, int row, const char *name)
{
  const char *text = rows_text (rows, row, name);
  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : 0;
}

gboolean
rows_bool (const PgRows *rows, int row, const char *name)
{
  return g_strcmp0 (rows_text (rows, row, name), "t") == 0;
}

gboolean
rows_has (const PgRows *rows, const char *name, const char *text)
{
  for (int i = 0; i < rows_count (rows); i++)
    if (g_strcmp0 (rows_text (rows, i, name), text) == 0)
      return TRUE;
  return FALSE;
}

GHashTable *
rows_index (const PgRows *rows, const char *name)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (rows); i++)
    g_hash_table_insert (index, (gpointer)rows_text (rows, i, name), GINT_TO_POINTER (i + 1));
  return index;
}

gboolean
rows_is_integer (const PgRows *rows, int column)
{
  Oid type = PQftype (rows->result, column);
  return type == 20 || type == 21
         || type == 23; /* int8, int2, int4: fixed type ids of the catalogue */
}

char *
rows_array (const PgRows *rows, const char *name)
{
  int column = rows_column (rows, name);
  if (column < 0)
    g_error ("no column '%s' in the rows of a statement", name);
  GString *array = array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    array_add (array, rows_at (rows, i, column));
  return array_take (array);
}

char *
rows_array_of (const PgRows *rows, int column, const int *which, guint n)
{
  GString *array = array_new ();
  for (guint i = 0; i < n; i++)
    array_add (array, rows_at (rows, which[i], column));
  return array_take (array);
}
