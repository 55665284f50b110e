/* How wide the rows of a step are: `page_bytes` bounds what one statement of a step records.
 *
 * The statement that removes rows adds up their records before it makes an audit record of them. If
 * they are too many bytes for a page of several rows, it makes none, and the step is cut: rolled
 * back, not charged, and repeated with as many rows as fit. What the rows of a job weighed last is
 * remembered by this process, so that later pages take no more rows than fit. A row that is too
 * wide alone goes alone.
 *
 * Invariant: no audit record is made of more than `page_bytes`, but for a single row.
 *
 * Threads: any; what is remembered has a lock. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* How many rows fit into MOST bytes, if HAD rows were BYTES; at least one. HAD or BYTES 0: that is
 * not known, and any number does. */
gint64 weight_rows (gint64 had, gint64 bytes, gint64 most);
/* Bytes of a row to reckon with, if so far it was BEFORE (0: not known) and HAD rows were BYTES: a
 * page of narrow rows makes it half at most. */
gint64 weight_of_row (gint64 before, gint64 had, gint64 bytes);

/* Sets how many rows the page of RUN may have; any, if nothing is known of its job. */
void weight_begin (Run *run);
/* `:page_bytes` of a statement of STEP: what it may record. */
gint64 weight_most (const Step *step);
/* Notes what a statement has recorded: ROWS are its answer. FALSE: it is too much, and nothing is
 * recorded, so the step is to be cut; or not all that went is recorded. */
gboolean weight_take (Step *step, const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A try of STEP begins: what it has recorded before is rolled back. */
void weight_begin_try (Step *step);
/* What STEP records, or tells, is too much. */
void weight_is_too_much (Step *step);
/* How many rows of STEP, which was too wide, fit into a page. */
gint64 weight_fits (const Step *step);
/* STEP is done: remembers what its rows weighed. Returns how many of such rows fit into a page. */
gint64 weight_note (const Step *step);
