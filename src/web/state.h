/* The state of the work in PostgreSQL, as gauges that no restart resets: runs, quarantine, blocked
 * and paused jobs, last successes. One statement, whose result is cached for seconds, longer if it
 * was slow. Without a result the gauges are absent and `pruned_database_up` is 0.
 *
 * Threads: one at a time; the caller locks. Ownership: state_free; arguments are borrowed.
 */
#pragma once
#include "engine/job/job.h"

typedef struct _State State;
State *state_new (const Jobs *jobs, Pg *pg);
void state_free (State *state); /* NULL: nothing */
/* Appends the gauges to BODY. FALSE: PostgreSQL does not answer. */
gboolean state_add (State *state, GString *body);
