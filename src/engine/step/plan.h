/* What a run of a job would do, page after page, in one read-only snapshot. Changes nothing.
 *
 * Threads: one. Ownership: none.
 */
#pragma once
#include "engine/job/job.h"

typedef void (*PlanVisit) (const char *table, const char *key, const char *action,
                           const char *reason, gpointer data);

/* VISIT gets a line a row. ARGS: an object. Takes no locks. */
gboolean plan_run (Pg *pg, const Job *job, gint64 at_us, const json_t *args, PlanVisit visit,
                   gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
