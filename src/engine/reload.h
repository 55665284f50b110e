/* SIGHUP: the configuration is read again. What may change while the daemon runs is taken over, the
 * rest is named as waiting for a restart, and a configuration that is wrong changes nothing.
 *
 * Invariant: it waits for no step, and no step waits for it: the settings are swapped (in_force.h).
 * Threads: reload_begin and reload_end: main; the work is done by a thread of its own, one at a
 * time.
 */
#pragma once
#include "engine/engine.h"
#include "engine/service/service.h"

void reload_begin (
    const EngineOptions *options,
    Service *service); /* from here on SIGHUP is answered, also one that came before */
void reload_end (
    void); /* no longer; waits for one that is under way. After the workers have ended */
