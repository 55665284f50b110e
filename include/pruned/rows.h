/* The rows of a statement.
 *
 * Threads: one at a time. Ownership: the caller frees rows (rows_free); texts belong to the rows.
 */
#pragma once
#include "pruned/array.h"

typedef struct _PgRows PgRows;
void rows_free (PgRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PgRows, rows_free)

int rows_count (const PgRows *rows);
int rows_columns (const PgRows *rows);
const char *rows_name (const PgRows *rows, int column);
int rows_column (const PgRows *rows, const char *name);        /* -1: there is none */
const char *rows_at (const PgRows *rows, int row, int column); /* NULL: SQL null */
/* By name; the column must be there (g_assert). */
const char *rows_text (const PgRows *rows, int row, const char *name);
gint64 rows_int (const PgRows *rows, int row, const char *name); /* null: 0 */
gboolean rows_bool (const PgRows *rows, int row, const char *name);
/* Is TEXT the value of a row in the column NAME? */
gboolean rows_has (const PgRows *rows, const char *name, const char *text);
/* Row number + 1 by the text of a column without nulls. Keys are texts of ROWS. Unref it. */
GHashTable *rows_index (const PgRows *rows, const char *name);
/* TRUE: a whole number (smallint, integer, bigint). */
gboolean rows_is_integer (const PgRows *rows, int column);

/* N of ROWS, those at WHICH. Borrows ROWS; WHICH is copied. */
PgRows *rows_part (const PgRows *rows, const int *which, guint n);

/* A column as an array literal: of all rows, or of those listed (N of WHICH). g_free it. */
char *rows_array (const PgRows *rows, const char *name);
char *rows_array_of (const PgRows *rows, int column, const int *which, guint n);
