/* What a run of a job would do, page after page, in one read-only snapshot. Changes nothing.
 *
 * Threads: one. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* What a page job's run would do from its cursor on. */
typedef struct {
  gint64 deadline_us; /* monotonic: no page begins after it */
  GString *gone;      /* array literal, not closed: keys that earlier pages would remove */
  /* found */
  gboolean more;    /* the deadline came first; the run's cursor says where */
  gint64 keys;      /* that were decided about */
  gint64 rows;      /* the run's own rows, those below, and its children */
  gint64 below;     /* rows beside the own ones that are removed or changed with them */
  json_t *tables;   /* rows that go with others, by table */
  json_t *emptied;  /* rows that foreign keys change with others, by table */
  json_t *counts;   /* counter -> integer */
  GString *changed; /* array literal, not closed: keys of own rows, up to PLAN_KEYS */
  gint64 n_changed;
  char *reason; /* of the only row; NULL: none */
} PlanTally;

#define PLAN_KEYS 100000

void plan_tally_init (PlanTally *tally, const char *gone);
void plan_tally_clear (PlanTally *tally);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlanTally, plan_tally_clear)
/* By the plan's own path, in STEP's open transaction and without locks. Moves the cursor of STEP's
 * run, which must be the caller's own. */
gboolean plan_tally (Step *step, PlanTally *tally, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* VISIT gets a line a row. ARGS: an object. TALLY is filled in, from plan_tally_init; FALSE in
 * *KNOWN: it has only rows that change with the job's own, and not how many these are. Takes no
 * locks. */
gboolean plan_run (Pg *pg, const Job *job, gint64 at_us, const json_t *args, StepVisit visit,
                   gpointer data, PlanTally *tally, gboolean *known, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The run that a plan is about. It is nowhere in the database. */
Run *plan_run_of (const Job *job, gint64 at_us, const json_t *args);
