/* A row that somebody holds stays until it is released, whatever would take it along: a file of a
 * job, a foreign key, a trigger. A hold is a row of `pruned.holds`: of `pruned hold`, or of `pruned
 * restore`, which has brought the row back. The rows that are held and are not there are looked for
 * before a step's effects and after them; after them a row that the step has written counts as
 * well. If there is one more, the effects do not stand, and the row that they were about stays.
 *
 * Nothing is asked where no row is held, which the fence has read with the run (`holds`). So a hold
 * counts for each transaction that begins after it; `pruned hold` waits for those that have begun
 * before.
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/step.h"

/* What the statement about held rows says in CAUSE (taken). A key that is no value of its column
 * any more says nothing about the table. Always FALSE. */
gboolean held_explain (Step *step, GError *cause, GError **error);
/* The rows of `pruned hold` that are not there (`item`, `tab`, `hold_id`), although no step took
 * them: others removed them, or gave them another key. Of tables that cannot be read, none. *LOST:
 * rows_free it; NULL: no row is held. In a transaction or not; reads each held row's key. */
gboolean held_lost (Pg *pg, PgRows **lost, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Before the effects. Asks once in a transaction. Blocks the step if a row is held and is not there
 * in a table that its job can reach. */
gboolean held_begin (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Behind the effects. PRUNED_DATA with `step->takes_held`: a row that is held went, and the error
 * names it. */
gboolean held_stay (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
