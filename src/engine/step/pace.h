/* How many rows a step may touch: the limit of the run's progress, for jobs of all kinds.
 *
 * A step that is done but took longer than `target_step_ms` halves the limit: the next one may
 * touch half of the rows that it had. One that took less than half of that raises it by a tenth of
 * the job's page, and at most doubles it, until it is the whole page again. A step that takes far
 * too long is cut: rolled back, not charged, and repeated with half of its rows, down to one.
 *
 * Invariant: no step holds its transaction open for longer than PACE_MOST_US. A step that could
 * touch fewer rows is cut after `budget_ms`, but not before two seconds, so that a busy machine
 * cuts nothing.
 *
 * How wide the rows are bounds it, too: `page_bytes` is what one statement of a step may record.
 * The statement that removes rows adds up their records before it makes an audit record of them. If
 * they are too many bytes for a page of several rows, it makes none, and the step is cut: it is
 * repeated with as many rows as fit. What the rows of a job weighed last is remembered by this
 * process, so that later pages take no more rows than fit. A row that is too wide alone goes alone.
 *
 * Invariant: no audit record is made of more than `page_bytes`, but for a single row.
 *
 * Threads: the worker that has the lane; what is remembered has a lock. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

#define PACE_MOST_US (18 * G_USEC_PER_SEC) /* no transaction is longer than 20 s */

/* The rows that RUN may touch in its next step: its job's `batch`, or fewer if it has been cut. */
int pace_page_limit (const Run *run);
/* The same of MOST rows that it may touch if it has not been cut; fewer if they are wide.
 */
gint64 pace_limit_within (const Run *run, gint64 most);
/* The transaction of N steps begins, and with it its deadline. */
void pace_begin (Step *const *steps, guint n);
/* N steps, which are done as one, follow others in a shared transaction: they wait less long for a
 * lock, and have little time, because the rows of the others stay locked. */
gboolean pace_begin_next (Step *const *steps, guint n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* N steps of a shared transaction, begun at BEGAN_US, are done as one; others may follow. Each has
 * its part of the time, which is returned. */
gint64 pace_end (Step *const *steps, guint n, gint64 began_us);
/* The N steps of a transaction that began at BEGAN_US are done: each has its part of the time. */
void pace_divide (Step *const *steps, guint n, gint64 began_us);
/* All steps of a shared transaction are done: the time for what follows. */
void pace_settle (const Step *first);
/* Is CAUSE a statement that took too long, or the transaction's deadline? */
gboolean pace_is_too_slow (const Step *step, const GError *cause);
/* The limit of the next try of STEP, which took too long: half of what it tried, or a quarter of
 * its limit if that is not known. 0: it is one row already. */
gint64 pace_less (const Step *step);
/* The limit after a step that was allowed LIMIT rows of a page of MOST, HAD so many (0: not known),
 * took TOOK_US and should take GOAL at most, microseconds. MOST or more: none. */
gint64 pace_next_limit (gint64 limit, gint64 had, gint64 most, gint64 took_us, gint64 goal);
/* STEP is done and the run continues: sets the limit of its next step. */
void pace_continue (Step *step);
/* Time until the next try after N failures before this one: n^4 + 15 + rand(0..9) * (n + 1) seconds
 * (docs/jobs/README.md, 8). */
gint64 pace_back_off_ms (int n);

/* How many rows fit into MOST bytes, if HAD rows were BYTES; at least one. HAD or BYTES 0: that is
 * not known, and any number does. */
gint64 pace_weight_rows (gint64 had, gint64 bytes, gint64 most);
/* Bytes of a row to reckon with, if so far it was BEFORE (0: not known) and HAD rows were BYTES: a
 * page of narrow rows makes it half at most. */
gint64 pace_weight_of_row (gint64 before, gint64 had, gint64 bytes);

/* `:page_bytes` of a statement of STEP: what it may record. */
gint64 pace_weight_most (const Step *step);
/* Notes what a statement has recorded: ROWS are its answer. FALSE: it is too much, and nothing is
 * recorded, so the step is to be cut; or not all that went is recorded. */
gboolean pace_weight_take (Step *step, const PgRows *rows, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* A try of STEP begins: what it has recorded before is rolled back. */
void pace_weight_begin_try (Step *step);
/* What STEP records, or tells, is too much. */
void pace_weight_is_too_much (Step *step);
/* How many rows of STEP, which was too wide, fit into a page. */
gint64 pace_weight_fits (const Step *step);
