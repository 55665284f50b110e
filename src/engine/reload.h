/* SIGHUP: the configuration and the jobs of the user are read again. Settings that can change at
 * run time take effect, the others are logged as waiting for a restart. An invalid configuration
 * changes nothing; a job that is refused stays as it is.
 *
 * Invariant: it waits for no step, and no step waits for it: jobs and settings are swapped
 * (in_force.h).
 *
 * Threads: reload_begin and reload_end: main; the work is done by a thread of its own, one at a
 * time.
 */
#pragma once
#include "engine/options.h"
#include "engine/service/service.h"

/* From here on SIGHUP is handled, also one that came before. */
void reload_begin (const EngineOptions *options, Service *service);
/* As SIGHUP does: for `pruned reload`, which gets an answer. */
void reload_ask (void);
/* Takes over the jobs that were left out for what the database said (jobs_only_back), in silence if
 * there are none. Nothing else changes: while files differ from what is in force, none comes back.
 */
void reload_ask_left_out (void);
/* SIGHUP is ignored; waits for a reload under way. Call after the workers have ended. */
void reload_end (void);
