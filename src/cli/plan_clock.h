/* What a plan for another day does not foresee: a condition that asks the server's clock.
 *
 * Threads: main. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/job/job.h"
#include "pg/pg.h"

/* Warns of what the condition of JOB asks, and functions and views behind it. FALSE: PostgreSQL
 * does not answer. */
gboolean plan_say_clock (Pg *pg, const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
