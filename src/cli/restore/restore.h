/* `pruned restore`: what a run removed comes back from the audit record (pruned.deletions), step
 * after step, the last first, and in a step removed rows before changes, tables that others refer
 * to before those that do.
 *
 * Invariants: a step's rows, their hold in quarantine and what goes with them commit together;
 * nothing is said to be back before it is committed; a row that is there is never overwritten, a
 * change is undone only where nobody has touched the row since. A row that fails alone stays out,
 * the others come back: the rows of a record go in as one statement, and in halves where that
 * fails. Rows that wait for others (foreign keys) are tried again until that helps no more.
 *
 * restore.c     the command
 * restore_look.c    which runs, and why not
 * restore_step.c    one step: transactions, records
 * restore_rows.c    rows of a record
 *
 * Threads: main only. Ownership: the Restore owns all.
 */
#pragma once
#include "cli/cli.h"

/* Rows that one statement of a step removed or changed. */
typedef struct {
  char *table, *part, *place,
      *xid;         /* part, place: where the record is; xid: the transaction that wrote it */
  gboolean deleted; /* else changed */
  const PgStatement *statement; /* NULL: blocked */
  char *blocked, *notes; /* why none can come back; what will not be as it was. NULL: nothing */
  gboolean makes;        /* rows as young as the run are the run's own */
  GArray *open;          /* of gint64: rows that are still to come back, counted from 1 */
} Record;

typedef struct {
  char *run_id, *step;
  const Job *job;     /* NULL: this program does not know it any more */
  GPtrArray *records; /* NULL: not looked at yet */
} RestoreStep;

typedef struct {
  char *table, *key, *reason;
  const char *action;
} Line;

typedef struct {
  Cli *cli;
  Pg *pg;
  gboolean dry_run, partial;
  const char *run_id;
  GPtrArray *runs;    /* of char: the runs to restore */
  GPtrArray *jobs;    /* of const Job, beside runs; NULL: unknown */
  GPtrArray *above;   /* of const Job: of the runs' ancestors */
  GPtrArray *steps;   /* of RestoreStep */
  guint children;     /* of the run, left alone */
  gboolean effective; /* a run says that it changed something */
  GPtrArray *own;     /* of char: transactions of this restore */
  guint trials;       /* savepoints of the open transaction */
  gboolean last;      /* rows that wait for others wait no longer */
  GPtrArray *lines;   /* of Line: not committed yet */
  guint restored, there, lost, left_out;
} Restore;

/* Finds the runs and their steps. Not CODE_OK: nothing can be done, ERROR says why. */
ExitCode restore_look (Restore *restore, gboolean with_children, GError **error);

/* Puts back what is open of STEP, as far as it goes; with dry_run inside the caller's transaction.
 */
gboolean restore_step (Restore *restore, RestoreStep *step, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* BEGIN, with constraints checked by each statement. */
gboolean restore_begin (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* COMMIT, and says the lines. */
gboolean restore_commit (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;

void restore_record_free (gpointer record);
/* Puts back what is open of RECORD. */
gboolean restore_rows (Restore *restore, RestoreStep *step, Record *record, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Takes REASON. */
void restore_add_line (Restore *restore, const char *table, const char *key, const char *action,
                       char *reason);
void restore_say_lines (Restore *restore);
