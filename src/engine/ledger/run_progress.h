/* What the engine keeps of a run between two steps, beside the place in its rows: `progress` of its
 * row. The place is the cursor, whose columns belong to the job and can have any name.
 *
 * Old form: the version before keeps the same keys in the cursor, among the job's columns. It may
 * run beside this one, so a row has both forms, and what the cursor says counts: the other process
 * may have written it. A key that is a column of the job's cursor is only in `progress`.
 *
 * Threads: a value belongs to one thread. Ownership: run_progress_clear. JSON in it is shared
 * between copies, and never changed.
 */
#pragma once
#include "engine/job/job.h"

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
