/* A connection's cache of rows, valid as long as their stamp stays the same. For this folder only;
 * others use pg_run_kept (pg.h).
 *
 * Invariant: rows are found only with the stamp they were stored with.
 * Threads: as Pg. Ownership: the rows belong to Kept.
 */
#pragma once
#include "pg/rows.h"

typedef struct _Kept Kept;
Kept *kept_new (void);
void kept_free (Kept *kept);
void kept_clear (Kept *kept);
/* NULL: no rows under NAME, or rows with another stamp. */
const PgRows *kept_get (const Kept *kept, const char *name, const char *stamp);
/* Takes ROWS; they replace the rows under NAME. */
const PgRows *kept_put (Kept *kept, const char *name, const char *stamp, PgRows *rows);
