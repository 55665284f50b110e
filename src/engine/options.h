/* What the command line hands to the daemon: configuration, jobs, and how a reload reads them
 * again.
 *
 * Threads: the functions are called on the thread of the reload. Ownership: the caller of
 * engine_run keeps everything until it returns.
 */
#pragma once
#include "engine/job/job.h"
#include "pg/pg.h"

typedef struct {
  const Config *config;
  Jobs *jobs; /* configured */
  gboolean embedded_kafka;
  gboolean until_idle;
  gboolean progress; /* a live line on stderr */
  /* For a reload, in a thread of its own. The jobs of the user again (jobs_load_again), new ones
   * checked with PG, then the configuration for JOBS; JOBS are in force from now on, and DATA owns
   * them with those before. */
  Jobs *(*reload_jobs) (gpointer data, const Jobs *now, Pg *pg, GError **error);
  Config *(*reread) (gpointer data, Jobs *jobs, GError **error);
  void (*took) (gpointer data, Jobs *jobs);
  gpointer data;
} EngineOptions;
