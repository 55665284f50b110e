/* The rows of a statement, as jobs see them, and a part of them. */
#pragma once
#include "pruned/rows.h"

/* N of ROWS, those at WHICH. Borrows ROWS; WHICH is copied. */
PgRows *rows_part (const PgRows *rows, const int *which, guint n);
