/* Whether a run would be held that nobody has begun, or that only planned.
 *
 * Threads: any. Ownership: brake_finding_clear.
 */
#pragma once
#include "engine/brakes/judge.h"
#include "engine/step/plan.h"

/* Of a plan of JOB: TALLY; KNOWN: as plan_run says. In a transaction of its own, which only reads.
 */
gboolean foresee_plan (Pg *pg, const Job *job, gint64 at_us, const json_t *args,
                       const PlanTally *tally, gboolean known, BrakeFinding *finding,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Of a run that has planned ROWS, BELOW of them of other tables, in the open transaction of STEP.
 */
gboolean foresee_run (Step *step, gint64 rows, gint64 below, BrakeFinding *finding, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* `30 rows are above max_rows 20`; NULL: it would not be held. The finding's. */
const char *foresee_words (const BrakeFinding *finding);
