/* The daemon: starts the threads and ends them in order.
 *
 *   main        polls the consumer (rebalances), commits stored offsets, watches the others
 *   intake      ticks and events -> runs                       (worker.c, intake.c)
 *   workers     work messages -> steps                         (worker.c)
 *   dispatcher  due runs, cron                                  (clock/dispatcher.c)
 *   housekeeping  lost and left messages, own tables, and what else is looked at once a second
 *                                                               (clock/housekeeping.c)
 *   stop        reads whether everything is stopped             (clock/stop.c)
 *
 * Threads: main. Ownership: options are borrowed for the call.
 */
#pragma once
#include "engine/options.h"

/* Runs until SIGTERM or SIGINT, or until idle. Returns the exit code: 0; 2, 3 or 4 with ERROR set
 * when it cannot start; 70 with ERROR set when a thread found that the process cannot continue. */
int engine_run (const EngineOptions *options, GError **error);

/* Call before the settings are read: SIGHUP stays pending until engine_begin instead of ending the
 * process. */
void engine_expect (void);
/* Call before everything else of the daemon, and before other threads start: from then on the
 * watchdog's thread takes the process's signals, and a log line does not wait for its reader.
 * PRUNED_OUTAGE: there is no thread for it. */
gboolean engine_begin (GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Does the poll thread still answer? Thread: any. */
gboolean engine_is_alive (void);

/* Does the daemon have its partitions, and is Kafka well? Thread: any. */
gboolean engine_is_ready (void);

/* Is everything stopped (`pruned stop`), as this process last read it? Thread: any. */
gboolean engine_is_stopped (void);

/* Visits each running step with the time since it began. Thread: any. */
typedef void (*EngineRunning) (const char *job, double seconds, gpointer data);
void engine_each_running (EngineRunning visit, gpointer data);
