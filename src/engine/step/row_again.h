/* A row that an event has named and that has failed: its run waits for the row's entry in
 * quarantine, tries again when that lets it, and answers again.
 *
 * Invariant: such a run tries the row no earlier than its entry says, and not at all while `pruned
 * restore` holds it.
 *
 * Threads: one worker, inside the step's transaction. Ownership: texts are copied.
 */
#pragma once
#include "engine/step/step.h"

/* The run of STEP has tried its row before. */
gboolean row_again_is (const Step *step);
/* ITEM is in quarantine because of REASON, for WAIT_MS more. Does nothing unless STEP is about a
 * row that an event has named. */
void row_again_note (Step *step, const char *item, const char *reason, gint64 wait_ms);
/* At the end of STEP: its run waits, if that was noted. */
void row_again_wait (Step *step);
