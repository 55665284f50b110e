/* SIGHUP: the configuration is read again. What may change while the daemon runs is taken over, the rest is named as waiting for a
 * restart, and a configuration that is wrong changes nothing.
 *
 * Invariant: settings change only while no step and no round of the dispatcher is under way: those hold `service->settings` to read.
 * Threads: reload_init, reload_begin and reload_end: main; the work is done by a thread of its own, one at a time.
 */
#pragma once
#include "engine/engine.h"
#include "engine/service/service.h"

void reload_init (Service *service); /* the lock */
void reload_begin (const EngineOptions *options, Service *service); /* from here on SIGHUP is answered */
void reload_end (void); /* no longer; waits for one that is under way. After the workers have ended */
