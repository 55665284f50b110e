/* PostgreSQL, the dead topic and the monotonic clock, simulated for a unit test: statements are
 * answered with rows that the test gives, and bound parameters are kept for checks.
 *
 * The linker redirects these functions to played.c (--wrap, see the Makefile). Without played_begin
 * they act as usual.
 *
 * Threads: the test's. Ownership: texts belong to this module, until the next played_begin.
 */
#pragma once
#include "kafka/kafka.h"
#include "pg/pg.h"

/* The Makefile reads this line. */
#define PLAYED_FUNCTIONS pg_run_file pg_run_alone clock_monotonic_us dead_letter_bury

/* A new play: no answers, nothing asked. */
void played_begin (void);
/* The next answer to the statement of FILE (its name without folder and `.sql`). The first line of
 * ROWS names the columns, each further line is a row; fields end at `|`, `-` is null. NULL: an
 * outage. A statement without an answer finds no rows. */
void played_answer (const char *file, const char *rows);
/* Rows from such a text. rows_free it. */
PgRows *played_rows (const char *rows);
/* The statements so far, separated by spaces. */
const char *played_asked (void);
/* What was bound to NAME when FILE was last asked. */
const char *played_bound (const char *file, const char *name);
/* The last dead letter's headers and value; NULL: none was sent. */
const KafkaMessage *played_letter (void);
/* From now on it is so much later, in later plays, too. */
void played_later (gint64 us);
