/* CSV (RFC 4180). A text that a spreadsheet would compute gets an apostrophe before it.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include "base/json.h"

/* Appends CELL: a whole number, any other text in quotes; null: nothing. */
void csv_add (GString *out, const json_t *cell);
