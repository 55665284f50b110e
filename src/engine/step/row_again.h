/* A row that an event has named and that has failed: its run waits for the row's entry in
 * quarantine, tries again when that lets it, and answers again.
 *
 * A run about all rows with some values works off its pages first. Then it waits for that of the
 * entries which is the first one to be tried again, and begins at its first page anew; rows that
 * stay are counted anew. It ends when no row of its pages has failed, or waits.
 *
 * Invariant: such a run tries the row no earlier than its entry says, and not at all while it
 * is held.
 *
 * Threads: one worker, inside the step's transaction. Ownership: texts are copied.
 */
#pragma once
#include "engine/step/step.h"

#define ROW_AGAIN_WHY "in quarantine: "
#define ROW_AGAIN_KEPT "kept: "         /* hold, restored */
#define ROW_AGAIN_HELD_MS (3600 * 1000) /* until what a held row keeps is tried again */

/* The run of STEP has tried its row before, or all of its rows. */
gboolean row_again_is (const Step *step);
/* The run of STEP waits for what is named ITEM, for MS at least. WHY: NULL, that says enough. */
void row_again_wait_for (Step *step, const char *item, const char *why, gint64 ms);
/* ITEM is in quarantine, as WHY says, for WAIT_MS more. Does nothing unless STEP is about a
 * row that an event has named. */
void row_again_note (Step *step, const char *item, const char *why, gint64 wait_ms);
/* STEP begins, perhaps a further pass over the rows of its run. */
void row_again_begin (Step *step);
/* What the event of STEP's run has named is not there. */
gboolean row_again_found_none (const Step *step);
/* At the end of STEP: its run waits, if that was noted. If no row has the values that an event has
 * named, it is answered that they are gone. */
void row_again_wait (Step *step);
