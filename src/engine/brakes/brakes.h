/* The room of the brakes: how many rows a run would change, the limits that hold it, and runs that
 * only plan. It uses the rooms before it, mainly steps; it knows no lanes.
 *
 * A step's own rows and children are known once it has run, before it is settled. So the first page
 * answers for a run of one page; for a longer one the keys behind it are counted, in one bounded
 * statement. That is an upper bound, because rows that stay are in it. What could exceed a limit is
 * rolled back, then counted by the plan's own path in a transaction without locks (count.h), and
 * held if it does exceed.
 *
 * Invariant: no step is committed with which its run exceeds a limit, unless somebody has approved
 * the run. The limit of a day has its own part (day.h), because it is of all runs.
 *
 * Threads: the worker that has the lane. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/brakes/day.h"

/* Before the steps of N runs of a job that share a transaction, or of one. FALSE with an error: it
 * is not to be done, and *AT_FAULT is the run that goes the careful path, or NULL; if its
 * `step->brake` is set, nothing has failed, and the caller rolls back and goes on as that says.
 * Errands for which counting would give the same as for the first one are not counted again. */
gboolean brakes_before (Step *const *steps, guint n, const char **at_fault, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same after the leases of the errands of N steps, in their transaction: step_tries has said
 * how many rows they leased, and `rows` of a step how many it would change with them. */
gboolean brakes_note_leased (Step *const *steps, guint n, DayAllowance *allowance, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* STEP settles what an errand's lease has counted: ROWS. */
void brakes_begin_settling (Step *step, gint64 rows);
/* The same after they have settled, before the commit: of rows that came beside those that were
 * leased, when their work was done already. */
gboolean brakes_after_settled (Step *const *steps, guint n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* How many rows the run may change after this step, as far as is known now; LIMIT_NONE (day.h):
 * any number. */
gboolean brakes_room (Step *step, gint64 *room, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After a step, in its transaction, before it is settled. FALSE as in brakes_before. */
gboolean brakes_after (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
