/* The room of the ledger: runs as rows, from the tick or event that asks for a run to its one row.
 * It uses the rooms before it, mainly jobs and the outbox.
 *
 * A run as a step, an intake or the dispatcher sees it, and its work message.
 *
 * Threads: a value belongs to one thread. Ownership: run_free.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/outbox/publish.h"

/* What the engine keeps of a run between two steps, beside the place in its rows: `progress` of its
 * row. The place is the cursor, whose columns belong to the job and can have any name.
 *
 * Old form: the version before keeps the same keys in the cursor, among the job's columns. It may
 * run beside this one, so a row has both forms, and what the cursor says counts: the other process
 * may have written it. A key that is a column of the job's cursor is only in `progress`. */
typedef struct {
  gint64 limit;     /* rows that the next step may touch (step/pace.h); 0: its job's page */
  gint64 systemic;  /* tries in which most of the page has failed alike */
  gint64 timeouts;  /* how often one row alone has taken too long */
  gint64 by_rows;   /* of a sentence: how often a row has made a search fail. From there on rows in
                       quarantine, or all, are on its pages, and asked by themselves (JobForm) */
  gint64 looks;     /* at its end: looks at rows that were busy (step/busy.h) */
  gint64 index;     /* keys of its pages so far, and */
  json_t *began_at; /* when the first one began: of jobs with `spacing` (step/spacing.h) */
  json_t *of;       /* the primary key that the cursor is of (Job.cursor_of) */
  json_t *portion;  /* it has begun to remove what is below a row (step/portion.h) */
  json_t *ranges;   /* it is divided, or has ranges left (step/ranges.h) */
  json_t *waits; /* an event has named its rows by columns, and rows before this place have failed:
                    what it will wait for (step/row_again.h) */
  gint64 again;  /* of such a run: how often it has begun at the first row again */
  json_t *plan_gone; /* it only plans: an array literal of keys that would be gone by then */
} RunProgress;

RunProgress run_progress_copy (const RunProgress *progress);
void run_progress_clear (RunProgress *progress);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunProgress, run_progress_clear)
/* Takes over OTHER, which becomes empty. */
void run_progress_take (RunProgress *progress, RunProgress *other);
/* VALUE (owned; NULL: none) becomes *PART of a progress. */
void run_progress_set (json_t **part, json_t *value);

/* From the columns of a run of JOB. *CURSOR loses what is no place; NULL: it has none. It becomes
 * NULL if the run is at its first row, also where it is not known which row it had reached.
 * COLUMN: `progress`; NULL: there is none. */
RunProgress run_progress_read (const Job *job, json_t **cursor, const json_t *column);
/* The texts of both columns, of a run of JOB at CURSOR (NULL: at its first row). *CURSOR_TEXT NULL:
 * there is nothing to say, and what the column has stays. g_free them. */
void run_progress_write (const Job *job, const json_t *cursor, const RunProgress *progress,
                         char **cursor_text, char **text);

typedef struct {
  char *run_id;
  const Job *job;
  int step, attempts;
  guint slot;
  gint64 scheduled_at_us, due_at_us;
  json_t *args;
  json_t *cursor;       /* what the job keeps: its place. NULL: first page */
  RunProgress progress; /* what the engine keeps */
  /* only from a fence */
  char *parent_id, *error;
  char *range_of;      /* it is a range of this run, and no run itself; NULL: it is a run */
  gboolean range_goes; /* the run still wants this range to be worked off beside it */
  char *version;       /* of its job, with which it has begun; NULL: no step of it has ended */
  char *named_table;   /* of the row that an event of an application has named; NULL: none */
  char *waits_for;     /* the row's entry in quarantine, after a failure; NULL: none */
  char *wrong;         /* why its row cannot be read, which no retry mends; NULL: it can */
  json_t *result;      /* NULL: none yet */
  json_t *context;     /* fields of its log lines, from its parent; NULL: none */
  gint64 rows_done;    /* rows changed and children placed so far */
  gint64 rows_counted; /* upper bound of the rows that the run will change; -1: not counted yet */
  gint64 rows_limit;   /* rows that it may change before limits are read again; -1: not known */
  gint64 approved_until_us, approved_rows; /* 0: not approved */
  gboolean holds;                          /* rows are held (step/held.h) */
  gboolean first;                          /* no step of it has started yet */
  gint64 started_at_us;                    /* its first step, by the database's clock; 0: `first` */
  gint64 now_us;                           /* the database's clock, at the fence */
  gint64 fits; /* rows of a page, by how wide rows of the job are; 0: any (step/pace.h) */
} Run;

void run_free (Run *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Run, run_free)

/* Makes a Run from a row with the columns run_id, step, attempts, slot, args, cursor, progress,
 * scheduled_at, due_at (microseconds), and with the columns of the fence if present. */
Run *run_from_row (const Job *job, const PgRows *rows, int row);

/* The due time of a run that a timer's event starts: DATE, which is a time or 00:00 UTC of a day,
 * never before T. DATE NULL: T. */
gint64 run_timer_due_us (const char *date, gint64 scheduled_at_us);
/* No step of a run with these arguments starts before this time, whatever its row says: T, or the
 * time that its timer was set for. */
gint64 run_earliest_us (const Job *job, gint64 scheduled_at_us, const json_t *args);

/* VERSION of its job has done something of RUN, besides the one that does it now: `versions` of its
 * result. */
void run_note_version (Run *run, const char *version);
/* What has done RANGE has done something of RUN. */
void run_note_versions (Run *run, const Run *range);

/* The ids of RUNS (of Run), as an array literal. g_free it. */
char *run_ids (const GPtrArray *runs);

/* Adds the work message of RUN to the bundle. */
void run_add_work (Bundle *bundle, const Run *run);

/* The transaction of PG that begins next works on this run: pg_stat_activity and PostgreSQL's log
 * show `pruned <job> <first 8 of the run's id>`. */
void run_set_task (Pg *pg, const Job *job, const char *run_id);
/* The transaction that has begun works on RUN. For a range, people are shown the id of
 * the divided run, which they know; for other runs nothing changes. */
gboolean run_set_task_of_range (Pg *pg, const Run *run, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The fields of a work message that are used; the others only inform. */
typedef struct {
  char *run_id;
  int step, attempt;
} Work;
void work_clear (gpointer work); /* frees what it owns */
GArray *works_new (void);        /* of Work, with work_clear */

/* PRUNED_REJECT: not a work message of JOB, or of another database (service/envelope.h). */
gboolean work_decode (const KafkaMessage *message, const Job *job, Work *work, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* How a step failed, and the new state of its run. All is borrowed. */
typedef struct {
  const Run *run;    /* at the step and attempt that its row is at */
  const char *state; /* `waiting`, or how it ends */
  int attempts;      /* with this one */
  gint64 delay_ms;   /* until the next try */
  const char *error;
  const RunProgress *progress; /* NULL: it stays, as the cursor does */
  const json_t *cursor;        /* with PROGRESS; NULL: that of RUN */
  const json_t *result;        /* NULL: unchanged */
  const char *error_class;     /* the error's SQLSTATE, or another name of its kind */
} RunFailure;
/* In the open transaction of PG. No row: another process has moved the run. */
PgRows *run_fail (Pg *pg, const RunFailure *failure, GError **error);

/* A run in STATE takes no further step. */
gboolean run_has_ended (const char *state);
/* RUN has an approval that still holds. */
gboolean run_is_approved (const Run *run);
/* RUN was approved, and the approval has ended. */
gboolean run_was_approved (const Run *run);
/* The id by which others know the run: that of its row, or for a range that of its run. */
const char *run_known_id (const Run *run);
/* RUN is a range, or a run with ranges. */
gboolean run_in_ranges (const Run *run);

/* The field of an outcome that has T. */
#define RUN_T "scheduled_at"
/* In the context of a run that an event of an application has started: its ce_id and ce_source. */
#define RUN_EVENT_ID "event_id"
#define RUN_EVENT_SOURCE "event_source"
/* FIELD is one of these. */
gboolean run_event_has (const char *field);
/* Of RUN's event; NULL: it does not say it, or there is none. Borrowed. */
const char *run_event_text (const Run *run, const char *field);

/* RUN began as a plan, in an earlier step: it stays one. */
gboolean run_is_planned (const Run *run);
/* The cursor of RUN is not of another primary key than JOB's table has now. One that is not known
 * to be of any fits. */
gboolean run_cursor_fits (const Job *job, const Run *run);
/* RUN will begin at the first row again. What else the engine keeps of it stays. */
void run_cursor_forget (Run *run);
/* The progress of RUN behind a page or a place that it is done with. */
RunProgress run_progress_behind (const Run *run);
