/* What is left of a run that is divided, as its progress has it (RunProgress.ranges):
 *
 *   until     the key at which the range ends, which is in it; none: the range has no end
 *   then      the ranges that follow in the same chain: each with `from`, behind which it begins,
 *             and `until`
 *   beside    other lanes work off ranges of the run
 *   gather    the run takes them in: no further page of theirs begins
 *   over      the run's own range is done
 *   quota     rows that the run's row, or that of the range, may have changed; none: any number
 *   most      `max_rows` when the run was divided; none: it was off
 *   share     the same of `max_share`, and
 *   ratio     of `max_ratio`, in thousandths
 *   free      no limit held then (`approve = never`)
 *   approved  the run was approved when it was divided
 *
 * Threads: a value belongs to one thread. Ownership: as said.
 */
#pragma once
#include "engine/ledger/run.h"

/* The parameters `until.COLUMN` of a page: the key at which RUN's range ends. SQL null: it has no
 * end. */
void ranges_bind (const Run *run, PgValues *values);
/* *CURSOR and PROGRESS become those of the first of RANGES, with the others behind it. FALSE: there
 * are none, and nothing is changed. */
gboolean ranges_begin (const json_t *ranges, json_t **cursor, RunProgress *progress);
/* The same with the range that follows the one of RUN in the same chain. */
gboolean ranges_next (const Run *run, json_t **cursor, RunProgress *progress);
/* What is left of the range that RUN is in. New reference. */
json_t *ranges_left (const Job *job, const Run *run);
/* Each of RANGES lies between keys of the cursor that JOB has. If not, they were divided by another
 * version of it, and say nothing of its rows. */
gboolean ranges_fit (const Job *job, const json_t *ranges);
/* The same of the ranges of RUN. */
gboolean ranges_fit_run (const Job *job, const Run *run);
/* Sets KEY in what PROGRESS says of its ranges. */
void ranges_mark (RunProgress *progress, const char *key);
/* The ranges that follow that of RUN in the same chain. NULL: none. */
const json_t *ranges_then (const Run *run);

/* It is a range that is worked off beside its run, or a run with such ranges. */
gboolean ranges_beside (const Run *run);
gboolean ranges_has (const Run *run, const char *key);
/* How many rows its row may have changed; -1: any number. */
gint64 ranges_quota (const Run *run);
/* A limit (most, share, ratio) as it was set when it was divided; -1: off. */
gint64 ranges_limit (const Run *run, const char *key);
/* It is a run that works off its own range, with others beside it. */
gboolean ranges_go (const Run *run);
