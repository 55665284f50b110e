/* How many rows a run would change, by the plan's own path: in an open transaction, without locks.
 *
 * Threads: the worker that has the lane. Ownership: run_count_clear.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  gint64 rows;  /* of the whole run: those that it has changed already, too */
  gint64 below; /* of these: rows beside its own, which are no share of the job's own */
  gboolean estimated;
  gboolean most;    /* the rest was not counted: each of its rows counts as if it were due */
  gboolean unknown; /* there can be more than `rows` */
  gboolean whole;   /* the run is not to be held later, with a part of its rows gone (whole.h) */
  json_t *values;   /* an array of {value, rows}: the commonest values of the column `due` */
} RunCount;
void run_count_clear (RunCount *count);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunCount, run_count_clear)

/* The rows of the job's own table in a run's RESULT (may be NULL): those that it names, and those
 * that went because a row above them did. */
gint64 count_own_rows (const json_t *result);
/* How many rows a row of JOB can take with it, itself included, as far as OWN rows with BELOW rows
 * below them tell. */
gint64 count_each (const Job *job, gint64 own, gint64 below);
/* Rows beside its own that the run of STEP has removed or changed before this step. */
gint64 count_below_before (const Step *step);
/* Adds to COUNT what STEP had changed beside its own rows, as far as COUNT, by a plan, does not
 * have it: what triggers and foreign keys do is seen only when it happens. */
void count_add_seen (const Step *step, RunCount *count);
/* Counts the run of STEP, whose transaction was rolled back; at least what the step had changed. */
gboolean count_run (Step *step, RunCount *count, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* An estimate without asking the database: what STEP had found before it was rolled back. It is the
 * upper bound that exceeded a limit, so it is enough to hold the run. */
void count_known (const Step *step, RunCount *count);

/* Keys that page.sql finds behind STEP, which goes on; up to LIMIT. */
gboolean count_rest (Step *step, gint64 limit, gint64 *n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A run that is counted before it changes rows. */
typedef struct {
  Step *step;
  gint64 bound, room; /* how many rows it may change; how many more */
  gint64 limit;       /* up to where it is counted */
  gint64 n;           /* how many it would change from here on */
  gint64 below;       /* of these: beside its own */
} CountAhead;
/* Fills `n` and `below` of ALL: by count.sql, or the keys that their pages have. What a job in C
 * foresees beside them is counted of one; of several it is known once they have run. */
gboolean count_ahead (CountAhead *all, guint n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The latter, of up to LIMIT rows of count.sql: added to what STEP has changed. */
gboolean count_beside (Step *step, gint64 limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Rows beyond this are not counted one by one. More than the largest `max_rows` of a built-in job:
 * a run with more room than this begins, and ends before the page that would exceed. */
#define COUNT_MOST 1200000
