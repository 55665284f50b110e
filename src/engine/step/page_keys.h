/* The keys of a page: what page.sql is asked for, and what it returned.
 *
 * Invariant: a page is only a proposal; decide and apply ask the condition again, under lock.
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  GPtrArray *keys; /* of char: a key as text */
  gboolean large;  /* its only row has more rows below it than one step may remove (portion.h) */
  gboolean more;   /* a next page exists, or a next range of the same chain */
  json_t *cursor;  /* after the last key; NULL: nothing was found, or the run stays where it is */
  RunProgress progress; /* of the run there */
  json_t *next;         /* of the row behind it; NULL: there is none */
  int back; /* of a user's folder: the first row, from 1, that lies before the row before it,
               if that can be told; 0: none */
} Page;
void page_clear (Page *page);
/* An event names the key of RUN. FALSE: page.sql finds its rows, also those that an event names by
 * columns. */
gboolean page_is_named (const Run *run);
/* PAGE becomes that key, as the event has it; or KEY. */
void page_set_named (const Run *run, Page *page);
void page_set_key (Page *page, const char *key);

/* Further parameters of the job's files, from a job in C or from what its objects say. */
typedef struct {
  GPtrArray *names, *texts;
} Extra;

/* The parameters of page.sql for the run of STEP with at most LIMIT rows. pg_values_free them. */
PgValues *page_values (Step *step, int limit);
/* The same for its run as RUN is: mostly as the step leaves it (step_run_ahead). */
PgValues *page_values_of (const Step *step, Run *run, int limit);
/* The cursor behind that row of ROWS. New reference. */
json_t *page_cursor_at (const Run *run, const PgRows *rows, int row);
/* ROWS of page.sql asked for LIMIT + 1. */
void page_read (const Run *run, const PgRows *rows, int limit, Page *page);
/* The run of STEP continues behind PAGE. */
void page_go_on (Step *step, const Page *page, gint64 delay_ms);
