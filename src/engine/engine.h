/* The daemon: puts the threads together and ends them in order.
 *
 *   main        polls the consumer (rebalances), commits stored offsets, watches the others
 *   intake      ticks and events -> runs                       (worker.c, intake.c)
 *   workers     work messages -> steps                         (worker.c, batch.c, step.c)
 *   dispatcher  due runs, leftovers, lost messages, cron       (dispatcher.c)
 *
 * Threads: main. Ownership: options are borrowed for the call.
 */
#pragma once
#include "engine/job/job.h"

typedef struct {
  const Config *config;
  Jobs *jobs; /* configured */
  gboolean embedded_kafka;
  gboolean until_idle;
  gboolean progress; /* a live line on stderr */
  Config *(*reread) (
      gpointer data,
      GError **error); /* the configuration once more, for SIGHUP. Thread: one of its own */
  gpointer data;
} EngineOptions;

/* Runs until SIGTERM or SIGINT, or until idle. Returns the exit code: 0; 2, 3 or 4 with ERROR set
 * when it cannot start; 70 with ERROR set when a thread found that the process cannot go on. */
int engine_run (const EngineOptions *options, GError **error);

/* Before its settings are read: SIGHUP waits until engine_begin, instead of ending the process. */
void engine_expect (void);
/* Before anything else of the daemon, and before other threads are started: the guard takes the
 * process's signals, and lines of the log no longer wait for their reader. */
void engine_begin (void);

/* Does the thread that everything hangs on come back? Thread: any. */
gboolean engine_is_alive (void);

/* Has the daemon its partitions, and no trouble with Kafka? Thread: any. */
gboolean engine_is_ready (void);

/* How long each step that runs now has been running. Thread: any. */
typedef void (*EngineRunning) (const char *job, double seconds, gpointer data);
void engine_each_running (EngineRunning visit, gpointer data);
