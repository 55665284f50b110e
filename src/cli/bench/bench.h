/* `pruned bench`: measures PostgreSQL, Kafka and this machine in a few seconds, on a live system.
 *
 * Invariant: it changes nothing that others use: it deletes rows from a temporary table inside one
 * transaction, which is rolled back, and sends messages to a topic of its own, which is removed.
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

#include <stdatomic.h>

/* Writes a row with the rate of NUMBER things since BEGAN_US (clock_monotonic_us), per second; no
 * row if NUMBER is 0. */
void bench_rate (Cli *cli, const char *part, const char *measure, guint number, const char *things,
                 gint64 began_us);
/* Writes a row with the median of TIMES_US (GArray of gint64, sorted in place), in milliseconds. */
void bench_median (Cli *cli, const char *part, const char *measure, GArray *times_us);
/* TRUE: the user wants to stop. The topic must be removed before the command ends. */
gboolean bench_is_stopped (void);
const atomic_int *bench_stop (void);

/* A message as the daemon sends it between two steps; NULL-terminated fields of pruned.Work. */
extern const char *const BENCH_WORK[];
#define BENCH_WORK_TYPE "pruned.Work"

ExitCode bench_postgres (Cli *cli, GError **error);
ExitCode bench_kafka (Cli *cli, GError **error);
