/* What becomes of a run that was counted: it goes on, or is held.
 *
 * Threads: the worker that has the lane. Ownership: brake_finding_clear.
 */
#pragma once
#include "engine/brakes/count.h"
#include "engine/brakes/limits.h"

typedef struct {
  const char *limit; /* the setting that holds it; NULL: it goes on */
  char *error;       /* `held: 30 rows are above max_rows 20` */
  RowLimits limits;
  gint64 counted;
  gint64 limited;    /* rows that it may change before it is counted again; -1: not known */
  gboolean approved; /* it goes on because it is approved */
} BrakeFinding;
void brake_finding_clear (BrakeFinding *finding);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BrakeFinding, brake_finding_clear)

gboolean brake_judge (Step *step, const RunCount *count, BrakeFinding *finding, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* In the open transaction, after the run's own row was set to `held`: notes why, and adds the
 * outcome RunHeld to the bundle of STEP. */
gboolean brake_hold (Step *step, const RunCount *count, const BrakeFinding *finding, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The run goes on: it is not counted again before it has changed `limited` rows. */
gboolean brake_let_go (Step *step, const RunCount *count, const BrakeFinding *finding,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A plan would have changed ROWS. */
gboolean brake_note_planned (Step *step, gint64 rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
