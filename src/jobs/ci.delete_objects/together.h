/* Steps of several slots that share their two transactions: one statement leases the rows of all,
 * the store is asked for all of them at once, and their rows go in one round trip. Each step has
 * rows, audit, counters and outcome of its own.
 * Threads: a worker. Ownership: the errands'. */
#pragma once
#include "pruned/job.h"

extern const JobErrands delete_objects_together;
