/* Rows that change with those of a try although no file returns them: by foreign keys of the
 * database (CASCADE, SET NULL, SET DEFAULT, ON UPDATE CASCADE) and by triggers and rules of the
 * application. PostgreSQL counts them by table (effects.h). They stand in the run's result and
 * count for its limits; rows that are inserted stand in the result only.
 *
 * Invariant: a table that a foreign key leads to is counted; if there is a trigger or a rule, every
 * table of the application is. A try in which one of these was emptied by TRUNCATE does not stand.
 * Built-in jobs have limits of their own rows, so nothing is counted
 * for them.
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/effects.h"

/* Before the pipeline of the first file: which tables to look at: asked every five seconds, and
 * where the tables of a sentence have changed, with their triggers. */
gboolean effects_beside_begin (Step *step, Effects *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* In a pipeline, if there are any: their counts; the first answer is that before the try, the
 * second one that at its end. */
gboolean effects_beside_queue (Step *step, const Effects *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean effects_beside_take (Step *step, Effects *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The file APPLY has returned N rows. */
void effects_beside_told (Effects *effects, guint table, const JobApply *apply, gint64 n);
/* Of a try that has changed N rows of several runs: the part of one row, a new reference. NULL:
 * rows that count for limits are told of each run only if it is alone. Rows that were inserted are
 * left out where they do not divide evenly. */
json_t *effects_beside_share (const Effects *effects, gint64 n);
