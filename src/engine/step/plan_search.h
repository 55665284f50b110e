/* The search for a page of a plan.
 *
 * Threads: one. Ownership: the rows are the caller's.
 */
#pragma once
#include "engine/step/step.h"

/* The rows of page.sql, up to one more than LIMIT. If a row makes the search fail, STEP goes on as
 * its run would (job_form_next): then its job is another one. STEP's run must be the caller's own.
 */
PgRows *plan_search (Step *step, int limit, GError **error);
