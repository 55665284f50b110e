/* More of a PostgreSQL that is simulated (played.h): what the catalogue says of the tables of a
 * sentence, in a short form, and what a statement would return, which is not run.
 *
 * Threads: the test's. Ownership: texts belong to this module, until the next catalogue_begin.
 */
#pragma once
#include "support/played.h"

/* The Makefile reads this line. */
#define PLAYED_BY_CATALOGUE pg_ensure pg_run_each pg_columns pg_sqlstate

/* As played_begin. */
void catalogue_begin (void);

/* The next sentence that is asked for has these tables, a line each, its own first:
 *
 *   orders r id:int8* at:timestamptz note:varchar(9)! sum:int4+ #inherited #root=all
 *
 * `~` before the name: the sentence does not name it. KIND as in pg_class; `-`: there is no such
 * table. Behind a type `*`: of the primary key; `!`: NOT NULL; `+`: generated; `@`: an index begins
 * with it; `^NAME`: ON UPDATE empties rows of NAME. KEYS: foreign keys, a line each, with
 * confdeltype:
 *
 *   lines(order_id) orders(id) a deferrable
 */
void catalogue_answer (const char *tables, const char *keys);

/* FILE (its name without folder and `.sql`) returns COLUMNS, with spaces between them. Without an
 * answer it returns none. */
void catalogue_columns (const char *file, const char *columns);
/* Of the last error. */
void catalogue_sqlstate (const char *state);
