/* Counters since the start of the process, and the distributions of some durations, for the
 * progress line, the log and /metrics. The table in stats.c names them all.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include <glib.h>

typedef enum {
  STATS_RUNS,           /* job, state */
  STATS_ROWS,           /* job, action */
  STATS_STEPS,          /* job */
  STATS_STEP_SECONDS,   /* job; observed */
  STATS_START_DELAY,    /* job; observed */
  STATS_MESSAGES,       /* topic kind: ticks, events, work */
  STATS_PASSED_OVER,    /* topic */
  STATS_DEAD_MESSAGES,  /* no label */
  STATS_STALE_MESSAGES, /* job */
  STATS_REPUBLISHED,    /* job */
  STATS_FAILURES,       /* job, error class */
  STATS_ERRORS,         /* job: failures, except those that only met a lock or a conflict */
  STATS_THROTTLED,      /* job, reason */
  STATS_REPLICA_PAGES,  /* source, reason */
  STATS_OBJECTS,        /* error: true, false */
  STATS_OBJECT_AGE,     /* no label; observed when an object's row goes */
  STATS_N
} Stat;

void stats_show (Stat stat, const char *label,
                 const char *label2); /* shows the counter from here on, with the value 0 */
void stats_add (Stat stat, const char *label, const char *label2, double n);
void stats_observe (Stat stat, const char *label, double seconds);
double stats_get (Stat stat, const char *label,
                  const char *label2); /* NULL label: the sum over all */

/* Visits every value: NAME as in Prometheus, LABELS as `job="x",state="y"`. */
typedef void (*StatsVisit) (const char *name, const char *kind, const char *labels, double value,
                            gpointer data);
void stats_each (StatsVisit visit, gpointer data);
/* What NAME counts, in a sentence. */
const char *stats_help (const char *name);
