/* A row that somebody has brought back with `pruned restore` stays until it is released, whatever
 * would take it along: a file of a job, a foreign key, a trigger. The rows that are held and are
 * not there are looked for before a step's effects and after them. If there is one more, the
 * effects do not stand, and the row that they were about is treated as one that PostgreSQL refuses.
 *
 * Nothing is asked where no row is held, which the fence has read with the run.
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/step.h"

/* Before the effects. Asks once in a transaction. */
gboolean restored_begin (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Behind the effects. PRUNED_DATA with `step->takes_restored`: a row that is held went, and the
 * error names it. */
gboolean restored_stay (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
