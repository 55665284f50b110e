/* The state of the work as PostgreSQL knows it, in gauges that no restart resets: runs, quarantine,
 * blocked and paused jobs, last successes. One statement; its answer is kept for seconds, longer if
 * it was slow. Without an answer the gauges are absent and `pruned_database_up` is 0.
 *
 * Threads: one at a time, the caller sees to it. Ownership: state_free; what is given is borrowed.
 */
#pragma once
#include "engine/job/job.h"

typedef struct _State State;
State *state_new (const Jobs *jobs, Pg *pg);
void state_free (State *state); /* NULL: nothing */
/* FALSE: PostgreSQL does not answer. */
gboolean state_add (State *state, GString *body);
