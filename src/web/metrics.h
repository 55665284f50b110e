/* The page `/metrics`: what this process has counted, what it is doing, and what the tables say.
 *
 * Threads: main makes and frees it; the server's threads add. They share one database connection,
 * and wait for it a second at most.
 * Ownership: metrics_free; arguments are borrowed.
 */
#pragma once
#include "config/config.h"
#include "engine/job/job.h"

typedef struct _Metrics Metrics;
Metrics *metrics_new (const Config *config, const Jobs *jobs);
void metrics_free (Metrics *metrics); /* NULL: nothing */
/* Appends all metrics to BODY; those that need PostgreSQL are absent while it does not answer. */
void metrics_add (Metrics *metrics, GString *body);
