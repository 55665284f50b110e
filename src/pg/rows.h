/* The rows of a statement, as jobs see them, and where they are from. */
#pragma once
#include "pruned/rows.h"

/* The column of a table (oid, attnum) that the column NAME of ROWS is; FALSE: it is made up. */
gboolean rows_origin (const PgRows *rows, const char *name, gint64 *table, int *number);
