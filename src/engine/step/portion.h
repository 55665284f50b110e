/* A row of a sentence with `children_portion`, below which there are more rows than one step may
 * remove, or which takes too long alone. These go in portions, one a step; the row goes with the
 * last of them, in a step as any other. A portion is a step with other files (FORM_PORTION): it
 * locks the row and judges it again.
 *
 * Invariant: from the first portion on the run's cursor stays before the row, and its progress has
 * the row's key, the number of rows that are gone, and the cursor behind it. So the row is judged
 * until it goes or is found to stay, also when page.sql does not find it any more.
 *
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/decide.h"

/* The run has begun a row, also if its job has no portions any more. */
gboolean portion_is_begun (const Step *step);
/* PAGE becomes that row. */
void portion_set_page (const Step *step, Page *page);
/* PAGE ends before its first row with too many rows below it, or is that row. ROWS: those of
 * page.sql; NULL: its only row was found without it. */
gboolean portion_cut (Step *step, const PgRows *rows, Page *page, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* A portion of which nothing has gone, or something is as it was, would be tried for ever: the row
 * is at fault. */
gboolean portion_moves (Step *step, const Trial *trial, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* STEP has done PAGE, with the decision about it (NULL: none): what its next step begins with, and
 * what is to be said of a row that stays without a part of its children. */
void portion_note (Step *step, const PgRows *decided, Page *page);
