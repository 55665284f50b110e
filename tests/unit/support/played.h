/* PostgreSQL and the dead topic, played by a unit: statements are answered with rows that the unit
 * has written down, and what was bound is kept to be looked at.
 *
 * The linker leads these functions to played.c (--wrap, see the Makefile). Without played_begin
 * they do what they always do.
 *
 * Threads: the test's. Ownership: texts belong to the play, until the next played_begin.
 */
#pragma once
#include "kafka/kafka.h"
#include "pg/pg.h"

/* The Makefile reads this line. */
#define PLAYED_FUNCTIONS pg_run_file dead_letters_send

/* A new play: no answers, nothing asked. */
void played_begin (void);
/* The next answer to the statement of FILE (its name without folder and `.sql`). The first line of
 * ROWS names the columns, each further line is a row; fields end at `|`, `-` is null. NULL: an
 * outage. A statement without an answer finds no rows. */
void played_answer (const char *file, const char *rows);
/* The statements so far, separated by spaces. */
const char *played_asked (void);
/* What was bound to NAME when FILE was last asked. */
const char *played_bound (const char *file, const char *name);
/* The last dead letter's headers and value; NULL: none was sent. */
const KafkaMessage *played_letter (void);
