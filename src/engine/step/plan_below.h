/* The rows that go or change with those of a plan: by foreign keys, by `children`, by the files of
 * a folder.
 *
 * Threads: one. Ownership: none.
 */
#pragma once
#include "engine/step/plan.h"

/* What goes or changes with the rows of DECIDED is added to TALLY. BELOW: of the step's job, by
 * foreseen_read. */
gboolean plan_below (Step *step, const GPtrArray *below, PgRows *decided, PlanTally *tally,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of up to LIMIT rows that a job in C names in rows.sql (foreseen.h). */
gboolean plan_below_rows (Step *step, gint64 limit, PlanTally *tally, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The plan of a job in C, and what goes or changes with the rows of its table that it shows. */
gboolean plan_below_of_code (Step *step, PlanTally *tally, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
