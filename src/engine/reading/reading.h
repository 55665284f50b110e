/* The room of the second reading: were the rows that a run has taken the right ones? It uses the
 * rooms before it, mainly jobs, and a step for what its statements bind.
 *
 * A run's rows are read in the audit, and the job's rule is asked of them again at its T, by
 * statements that are not those that chose them: of a sentence its `where` text, asked of the row
 * as it was; of a built-in job the files of its folder `reading`, which are written from docs/jobs
 * and not from the job's SQL. A row of a table below must refer to a row that the run has taken,
 * and no row may be left that refers to one, nor one that was due when the run was asked for and
 * that nothing keeps. What the audit has of a row is made a row of the
 * table again and recorded again, which must give the same.
 *
 * Invariant: what cannot be known is said (`unsure`, `unread`) and is never a disagreement. A run
 * of which everything was right has none, whatever the application has written since.
 *
 * Threads: that of the connection. Ownership: as said.
 */
#pragma once
#include "base/json.h"
#include "engine/job/job.h"

typedef enum {
  READING_WRONG,  /* the rule does not take this row */
  READING_UNSURE, /* it does not as far as is known, but something it rests on may have changed */
  READING_LEFT,   /* a row that refers to one that has gone, or that is due and still there */
  READING_LOST,   /* what the audit has of this row would not bring it back as it was */
} ReadingVerdict;
extern const char *const reading_words[]; /* by ReadingVerdict */

typedef void (*ReadingVisit) (ReadingVerdict verdict, const char *table, const char *key,
                              const char *says, gpointer data);

typedef struct {
  gint64 rows;              /* recorded, of tables that can be read again */
  gint64 read;              /* of them, that were read */
  gint64 wrong, left, lost; /* disagreements: rows; `left` is counted up to 1,000 a table */
  gint64 unsure;
  gboolean due;  /* rows that are due and left were looked for */
  gint64 looked; /* objects of rows that have gone, of which it is known whether they are there */
  GPtrArray *objects; /* of those that are to be looked for (reading_look) */
  json_t *unread;     /* [{table, rows, why}]: what cannot be read again */
} ReadingTally;

void reading_tally_init (ReadingTally *tally);
void reading_tally_clear (ReadingTally *tally);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReadingTally, reading_tally_clear)
/* Rows disagree. */
gboolean reading_disagrees (const ReadingTally *tally);
/* How many rows cannot be read again. */
gint64 reading_unread (const ReadingTally *tally);
/* The share of the rows, of 1, below which the wrong ones are with 95 % certainty, if READ of them
 * were read and none was wrong: 3 / READ. 0: all were read. Rows are chosen by pages, so it holds
 * for what is wrong anywhere, not for a single page. */
double reading_bound (const ReadingTally *tally);

#define READING_ALL 0
/* The run in ROW of RUN (sql/run.sql), of JOB: at most MOST rows a table; READING_ALL: each. JOB is
 * in the version that the run had. VISIT can be NULL; it gets up to 100 rows a table and verdict.
 * In PG's open read-only transaction. */
gboolean reading_run (Pg *pg, const Job *job, const PgRows *run, int row, gint64 most,
                      ReadingVisit visit, gpointer data, ReadingTally *tally, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Looks for the objects of the rows that were read, at most 100 of a sample, for at most MOST_MS:
 * none may be there that was written before its row went. With no transaction open. */
void reading_look (const Job *job, gint64 most, gint64 most_ms, ReadingVisit visit, gpointer data,
                   ReadingTally *tally);
/* The row of run.sql; no row: there is no such run. */
PgRows *reading_find (Pg *pg, const char *run_id, GError **error);
/* Rows that are due and left can be looked for behind a run of JOB, also of one that took none. */
gboolean reading_asks_due (const Job *job);
/* Why nothing of the run in ROW can be read again with JOB (NULL: none is in force); NULL: it can.
 * BY_HAND: a person judges what it says, so a built-in job may have been that of another version of
 * the program, which can record rows otherwise. g_free it. */
char *reading_refusal (const Job *job, const PgRows *run, int row, gboolean by_hand);
