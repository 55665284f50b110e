/* `pruned restore`: puts back what a run removed, from the audit (pruned.deletions). Steps are
 * restored in reverse order; within a step removed rows before changes, and tables that others
 * refer to before those others.
 *
 * Invariants: a step's rows, their hold in quarantine and the job's own statements commit together.
 * A row is reported as restored only after the commit. An existing row is never overwritten; a
 * change is undone only if the row has not changed since. The rows of a record are restored by one
 * statement; if it fails, in halves, so that a row that fails does not stop the others. Rows that
 * wait for others (foreign keys) are retried until a pass restores none of them; then those of a
 * step are tried together, with the foreign keys deferred that can be.
 *
 * restore.c         the command
 * restore_look.c    finds the runs, and refuses what cannot be restored
 * restore_version.c whether the job in force is the one that the run had
 * restore_step.c    one step: transactions, records
 * restore_rows.c    rows of a record
 * restore_files.c   rows that a file of an archive has
 * restore_hold.c    their hold in quarantine
 * restore_runs.c    what a job does for a run as a whole
 * restore_tell.c    what readers of the outcomes are told
 *
 * Threads: main only. Ownership: the Restore owns everything.
 */
#pragma once
#include "cli/cli.h"
#include "engine/view/row/item.h"

/* Rows that one statement of a step removed or changed. */
typedef struct {
  char *table, *part, *place,
      *xid; /* part, place: of the record (tableoid, ctid); xid: the transaction that wrote it */
  gboolean deleted;             /* else changed */
  const PgStatement *statement; /* NULL: blocked */
  const PgStatement *check;     /* whether triggers left it so; NULL: there are none */
  char *blocked, *notes;        /* why no row can be restored; what will differ. NULL: nothing */
  gboolean makes;      /* the job inserts into the table: rows created during the run are its own */
  gboolean incomplete; /* a value that the rows had does not come back */
  gboolean keyed;      /* the table has a primary key */
  gboolean in_file;    /* the audit has no rows of it, but a file of an archive has */
  GArray *open;        /* of gint64: rows not restored yet, counted from 1 */
} Record;

typedef struct {
  char *run_id, *step;
  char *path; /* of the file of an archive that has its rows; NULL: none has */
  char *why;  /* what is wrong with that; NULL: nothing */
  char *
      archived; /* rows and keys of each record, by its place, if only the file has them; or NULL */
  const char *job_name; /* of its run */
  const Job *job;       /* NULL: the audit alone is enough */
  int run;              /* its run's row of `found` */
  GPtrArray *records;   /* NULL: not read yet */
} RestoreStep;

typedef struct {
  char *table, *key, *reason;
  const char *action;
  gboolean incomplete;     /* not all of it comes back */
  const RestoreStep *told; /* the step that had taken it; NULL: it does not come back, or nothing
                              names it */
} Line;

typedef struct {
  Cli *cli;
  Pg *pg;
  gboolean dry_run, partial;
  char *run_id;          /* as given, then whole */
  char *hold_id;         /* of what is held while it is under way; NULL: nothing yet */
  PgRows *found;         /* the runs, and their ancestors (runs.sql) */
  GPtrArray *runs;       /* of char: the runs to restore */
  GPtrArray *jobs;       /* of const Job, beside runs: as they are now; NULL: unknown */
  GPtrArray *names;      /* of char, beside runs: of their jobs */
  GPtrArray *versions;   /* of char, beside runs: of the job that the run had; NULL: none noted */
  GPtrArray *above;      /* of const Job: jobs of the runs' ancestors */
  GPtrArray *steps;      /* of RestoreStep */
  guint children;        /* number of child runs that are not restored */
  gboolean effective;    /* a run's result says that it changed rows */
  GHashTable *named;     /* table -> PgRows: the jobs that name it */
  GPtrArray *own;        /* of char: transactions of this restore */
  guint trials;          /* number of savepoints in the open transaction */
  gboolean noted;        /* in the journal */
  const char *only_text; /* --only as given; NULL: all rows */
  const char *reason;    /* for the journal; NULL: none */
  Item only;             /* the row of --only */
  gboolean loosened;     /* foreign keys are deferred: nothing is committed between */
  gboolean last;         /* the last pass: rows that wait for others are given up */
  GPtrArray *lines;      /* of Line: not committed yet */
  guint damaged;         /* files of an archive that are, or are missing */
  guint restored, incomplete, there, lost, left_out; /* incomplete: of those restored */
} Restore;

/* Finds the runs and their steps. Not CODE_OK: nothing can be restored, ERROR says why. */
ExitCode restore_look (Restore *restore, gboolean with_children, GError **error);

/* The job in force, if it is what run number I had; NULL: another, or none. */
const Job *restore_same_job (const Restore *restore, guint i);
/* Whether what run number I did can be undone with what is known. ROW: of ROWS, its own. Before the
 * jobs are completed. */
ExitCode restore_check_version (const Restore *restore, guint i, const PgRows *rows, int row,
                                GError **error);

/* Reads the file of STEP, if its rows are in one, and compares it with the audit. With no
 * transaction open. What is wrong is said; FALSE: nothing is known of it. */
gboolean restore_read_file (Restore *restore, RestoreStep *step, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Restores the open rows of STEP, as far as possible; with dry_run inside the caller's transaction.
 */
gboolean restore_step (Restore *restore, RestoreStep *step, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same for rows that wait for each other: in one transaction, or under a savepoint, with
 * foreign keys deferred that can be. What these refuse stays open. */
gboolean restore_circle (Restore *restore, RestoreStep *step, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* 0 if its records were not read yet. */
guint restore_open_rows (const RestoreStep *step);
/* BEGIN, with constraints checked after each statement. */
gboolean restore_begin (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* COMMIT, and prints the lines. */
gboolean restore_commit (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Before the rows of the runs: what their jobs do for a run as a whole, in a transaction of its
 * own; with dry_run inside the caller's. Rows that other processes could remove at once are held
 * then. */
gboolean restore_prepare (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Holds a row that is there: for the jobs of the runs and of their ancestors that know it as an
 * item, and for jobs in force that do, by whatever name of its table. What is held for one job is
 * held from every job. RUN: the number of the run that had taken it. Within a transaction. */
gboolean restore_hold_item (Restore *restore, guint run, const char *table, const char *key,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Holds those of ROWS (of a record's statement of STEP) that are restored, in the same way; rows
 * below that no job names for the job that removed them. */
gboolean restore_hold (Restore *restore, const RestoreStep *step, const Record *record,
                       const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Before the first row comes back, and behind the last one: in between each step of a run asks
 * which rows are held. Waits for the steps that have begun before. */
gboolean restore_hold_ahead (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean restore_hold_over (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean restore_is_restored (const PgRows *rows, int row);

/* Of each row that the open transaction has put back: RowProcessed, `restored`, where all rows of a
 * run's job are told (`outcomes = all`), and an entry in the ledger of erasures, where the job
 * remembers them. A daemon sends it. */
gboolean restore_tell (Restore *restore, GError **error) G_GNUC_WARN_UNUSED_RESULT;

void restore_record_free (gpointer record);
/* Restores the open rows of RECORD. */
gboolean restore_rows (Restore *restore, RestoreStep *step, Record *record, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Takes REASON. The line that was added, until lines are said. */
Line *restore_add_line (Restore *restore, const char *table, const char *key, const char *action,
                        char *reason);
void restore_say_lines (Restore *restore);
