/* The room of the brakes: how many rows a run would change, the limits that hold it, and runs that
 * only plan. It uses steps; it knows no lanes.
 *
 * A step's own rows and children are known once it has run, before it is settled. So the first page
 * answers for a run of one page; for a longer one the keys behind it are counted, in one bounded
 * statement. That is an upper bound, because rows that stay are in it. What could exceed a limit is
 * rolled back, then counted by the plan's own path in a transaction without locks (count.h), and
 * held if it does exceed.
 *
 * Invariant: no step is committed with which its run exceeds a limit, unless somebody has approved
 * the run.
 *
 * Threads: the worker that has the lane. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/step/step.h"

/* Before a step. FALSE with an error: it is not to be done; if `step->brake` is set, nothing has
 * failed, and the caller rolls back and goes on as that says. */
gboolean brakes_before (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After the lease of an errand, in its transaction: step_tries has said of how many rows. */
gboolean brakes_note_leased (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* How many rows the run may change after this step, as far as is known now; LIMIT_NONE of limits.h:
 * any number. */
gboolean brakes_room (Step *step, gint64 *room, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After a step, in its transaction, before it is settled. The same. */
gboolean brakes_after (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
