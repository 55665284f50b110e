/* Rows that a connection remembers as long as what they were made from has not changed. For this
 * folder; everybody else: pg.h.
 *
 * Invariant: rows are found under the stamp only with which they were kept.
 * Threads: as Pg. Ownership: rows belong to Kept.
 */
#pragma once
#include "pg/rows.h"

typedef struct _Kept Kept;
Kept *kept_new (void);
void kept_free (Kept *kept);
void kept_clear (Kept *kept);
