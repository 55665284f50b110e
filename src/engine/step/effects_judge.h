/* Whether what a file of apply has changed fits what it returned and what it is named. What does
 * not fit becomes a doubt of the try: a trigger of the application can be the reason
 * (effects_doubt.sql). The first one is kept, unless a later one is sure, or the first one is about
 * rows beside.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/effects.h"

/* The job's own table has grown by GROWN: rows that went and that no file has returned are not in
 * the audit. */
void effects_judge_own (const Step *step, Effects *effects, BesideCount grown);
/* APPLY has returned N rows and changed CHANGED. OWN: it is the file on the job's own table. */
void effects_judge_rows (Effects *effects, const JobApply *apply, gint64 n, gint64 changed,
                         gboolean own);
/* APPLY has returned N rows and changed its table by GROWN, of which GONE were really deleted: what
 * its name denies. What it returned and did not change as it is named is not a trigger's doing. */
void effects_judge_name (Effects *effects, const JobApply *apply, gint64 n, BesideCount grown,
                         gint64 gone);
/* APPLY, a file of a user's folder, has changed the job's own table by GROWN: rows that are updated
 * or inserted beside what it is named are in no audit. MOVED: of its updates, to another partition.
 */
void effects_judge_beside (const Step *step, Effects *effects, const JobApply *apply,
                           BesideCount grown, gint64 moved);
