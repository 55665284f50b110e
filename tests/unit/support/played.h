/* PostgreSQL, the dead topic and the monotonic clock, simulated for a unit test: statements, alone
 * or in a pipeline, are answered with rows that the test gives, and bound parameters are kept for
 * checks.
 *
 * A statement is called by its file without folder and `.sql`, else by its text; a transaction asks
 * BEGIN, COMMIT and ROLLBACK. As on a server, the first that fails ends its pipeline, and in a
 * transaction nothing but a ROLLBACK may follow.
 *
 * The linker redirects these functions to played.c and played_pg.c (--wrap, see the Makefile).
 * Without played_begin they act as usual.
 *
 * Threads: the test's. Ownership: texts belong to this module, until the next played_begin.
 */
#pragma once
#include "kafka/kafka.h"
#include "pg/pg.h"

/* The Makefile reads these lines. */
#define PLAYED_STATEMENTS pg_run pg_run_kept pg_run_file pg_run_alone pg_exec pg_exec_later
#define PLAYED_PIPELINES pg_queue pg_flush pg_next pg_finish
#define PLAYED_TRANSACTIONS pg_begin pg_begin_read_only pg_commit pg_rollback
#define PLAYED_OTHERS PQresultErrorField clock_monotonic_us dead_letters_add dead_letters_send

/* A new play: no answers, nothing asked. */
void played_begin (void);
/* The next answer to the statement NAME. The first line of ROWS names the columns, each further
 * line is a row; fields end at `|`, `-` is null. NULL: an outage. A statement without an answer
 * finds no rows, and is not asked if its answer is kept (pg_run_kept). */
void played_answer (const char *name, const char *rows);
/* The next answer to NAME: PostgreSQL refuses it. The verdict follows from SQLSTATE. */
void played_refuse (const char *name, const char *sqlstate, const char *message);
/* A connection that is never made, for what keeps its last error there. Otherwise NULL is as good.
 */
Pg *played_pg (void);
/* Rows from such a text. rows_free it. */
PgRows *played_rows (const char *rows);
/* The statements so far, separated by spaces. */
const char *played_asked (void);
/* What was bound to PARAMETER when NAME was last asked. */
const char *played_bound (const char *name, const char *parameter);
/* The last dead letter's headers and value; NULL: none was sent. */
const KafkaMessage *played_letter (void);
/* From now on it is so much later, in later plays, too. */
void played_later (gint64 us);
