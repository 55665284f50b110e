/* The nights of jobs as bars, for the page and for a report.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include "base/html.h"
#include "pg/pg.h"

/* The bars of the job's last 30 nights, of rows of VIEW_NIGHTS; JOB NULL: of all together. Beside
 * it should stand a table: what it says in words are its sum and its highest bar. */
void bars_show (Html *html, const PgRows *nights, const char *job);
/* A large chart of the rows that were overdue on each of 30 days, of rows of VIEW_OVERDUE. A day on
 * which nobody has looked has no line below it. Returns the same in words; g_free it. */
char *bars_show_overdue (Html *html, const PgRows *days);
/* The largest number in COLUMN of ROWS; 0: none has one. */
double bars_most (const PgRows *rows, const char *column);
/* A large chart of the numbers in COLUMN, a bar a row, the oldest first; SAYS: the same in words.
 */
void bars_show_column (Html *html, const PgRows *rows, const char *column, const char *says);
