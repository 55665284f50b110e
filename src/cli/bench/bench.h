/* `pruned bench`: what PostgreSQL, Kafka and this machine can do for a job, in a few seconds, on a
 * live system.
 *
 * Invariant: nothing that others use is touched: rows are deleted from a temporary table inside one
 * transaction, which is rolled back, and messages go to a topic of its own, which is removed.
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* NUMBER things took since BEGAN_US (clock_monotonic_us): a row with things per second; none of
 * them: no row. */
void bench_rate (Cli *cli, const char *part, const char *measure, guint number, const char *things,
                 gint64 began_us);
/* A row with the median of times in microseconds (GArray of gint64; sorted by it), in milliseconds.
 */
void bench_median (Cli *cli, const char *part, const char *measure, GArray *times_us);
/* The user wants to stop: what was made is to be removed first. */
gboolean bench_is_stopped (void);
const volatile gint *bench_stop (void);

/* One message as the daemon sends them between two steps; NULL-terminated fields of pruned.Work. */
extern const char *const BENCH_WORK[];
#define BENCH_WORK_TYPE "pruned.Work"

ExitCode bench_postgres (Cli *cli, GError **error);
ExitCode bench_kafka (Cli *cli, GError **error);
